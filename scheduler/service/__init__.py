"""The scheduler process: what is fetched when, what is sent again, what is published.

One at a time, by a lease in Redis; any number may stand by. It decides nothing by itself: each tick asks a
port and acts on what it hears. An epoch error in any tick means that Redis lost its state: then all ticks
end, the state is rebuilt from the store, and they begin again.
"""

from scheduler.service.loop import Service, ServiceLimits, ServicePorts

__all__ = ["Service", "ServiceLimits", "ServicePorts"]
