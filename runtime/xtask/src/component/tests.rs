//! What is refused as a built-in component.

use super::*;

#[test]
fn a_plain_module_is_refused() {
    let module = wat::parse_str("(module)").expect("a module");
    let refused = encode_bytes(&module).expect_err("no world in it");
    assert_eq!(refused.to_string(), "does not export innkeeper:tool/tool");
}

#[test]
fn the_surface_names_imports_and_exports() {
    let component = wat::parse_str(
        r#"(component
            (import "innkeeper:log/log@0.1.0" (instance))
            (instance $empty)
            (export "innkeeper:tool/tool@0.1.0" (instance $empty)))"#,
    )
    .expect("a component");
    let expected = Surface {
        imports: ["innkeeper:log/log@0.1.0".to_owned()].into(),
        exports: ["innkeeper:tool/tool@0.1.0".to_owned()].into(),
    };
    assert_eq!(surface(&component).expect("a component"), expected);
}

#[test]
fn bytes_that_are_no_component_are_an_error() {
    assert!(surface(b"\0asm????").is_err());
}
