"""The tools of the proxy for agents that call them themselves: an MCP server without sessions, over Streamable HTTP.

One POST is one message of JSON-RPC (`rpc.py`) and its answer one JSON body, so any worker can answer any request. The
protocol comes in two kinds (`versions.py`): with a handshake before the first call, and with everything in each
request. `methods.py` is what a client may ask, `tools.py` what it may call, `server.py` one message and its reply.
"""

from proxy.mcp.server import Reply, replied
from proxy.mcp.tools import Tool, code_symbol, context_read

__all__ = ["Reply", "Tool", "code_symbol", "context_read", "replied"]
