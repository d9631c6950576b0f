//! Makes `Tool` from `tool/*.md` and sets the link options.

fn main() {
    innkeeper_tool_build::family();
}
