"""Episodes for clients of the Model Context Protocol, over HTTP and stdio; needs the extra ``mcp``."""
