"""A report in the forms that other programs read: functions of report and bundle, without clock or chance."""
