"""Generated worlds: organisations with data, tools and rules of their own, made from a kit and a seed."""
