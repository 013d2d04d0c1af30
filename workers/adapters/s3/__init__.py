"""The S3 object store: boto3 behind the port `ObjectStore`, with conditional and confirmed writes."""
