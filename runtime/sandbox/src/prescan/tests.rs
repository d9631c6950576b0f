//! Components with too much of one thing each, and some that only look like it.

use proptest::prelude::*;

use super::*;

fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

fn module(fields: &str) -> Vec<u8> {
    wat(&format!("(component (core module {fields}))"))
}

fn excess(bytes: &[u8]) -> (Quantity, u64, String) {
    match prescan(bytes) {
        Err(LoadError::Excess(excess)) => (excess.quantity, excess.found, excess.path.join("#")),
        other => panic!("{other:?}"),
    }
}

fn nameless(quantity: Quantity, found: u64) -> (Quantity, u64, String) {
    (quantity, found, String::new())
}

/// A component whose only section holds these types.
fn types(section: &[u8]) -> Vec<u8> {
    let mut bytes = b"\0asm\x0d\0\x01\0\x07".to_vec();
    let mut size = section.len();
    while size >= 0x80 {
        bytes.push((size & 0x7f) as u8 | 0x80);
        size >>= 7;
    }
    bytes.push(size as u8);
    bytes.extend_from_slice(section);
    bytes
}

#[test]
fn what_an_instance_takes_is_counted() {
    let text = "(component
        (core module $m (memory 1) (memory 1) (table 1 funcref))
        (component $inner (alias outer 1 $m (core module $m)) (core instance (instantiate $m)))
        (core instance (instantiate $m))
        (instance (instantiate $inner))
        (instance (instantiate $inner)))";
    let share = Share {
        instances: 3,
        memories: 6,
        tables: 3,
    };
    assert_eq!(prescan(&wat(text)), Ok(share));
    assert_eq!(prescan(&wat("(component)")), Ok(Share::default()));
}

#[test]
fn instances_that_double_with_every_level_are_too_many() {
    let mut text = "(component $c0 (core module $m) (core instance (instantiate $m)))".to_owned();
    for level in 1..=15 {
        let inner = level - 1;
        text = format!(
            "(component $c{level} {text} (instance (instantiate $c{inner})) (instance (instantiate $c{inner})))"
        );
    }
    assert_eq!(excess(&wat(&text)), nameless(Quantity::Instances, 1 << 15));
}

#[test]
fn functions_are_few_and_small_enough() {
    assert_eq!(
        excess(&module(&"(func)".repeat(100_001))),
        nameless(Quantity::Functions, 100_001)
    );
    let long = format!("(func {})", "nop ".repeat(2 * 1024 * 1024));
    assert_eq!(excess(&module(&long)).0, Quantity::FunctionBytes);
    let locals = format!("(func (local {}))", "i32 ".repeat(10_001));
    assert_eq!(excess(&module(&locals)), nameless(Quantity::Locals, 10_001));
    let deep = format!("(func {}{})", "block ".repeat(10_001), "end ".repeat(10_001));
    assert_eq!(excess(&module(&deep)), nameless(Quantity::Nesting, 10_001));
    let beside = format!("(func {})", "block end ".repeat(20_000));
    assert!(prescan(&module(&beside)).is_ok());
    let table = format!("(func (param i32) (br_table {} (local.get 0)))", "0 ".repeat(65_538));
    assert_eq!(excess(&module(&table)), nameless(Quantity::BranchTargets, 65_537));
}

#[test]
fn custom_sections_are_ignored_up_to_a_point() {
    let custom = |kib: usize| module(&format!("(@custom \"x\" \"{}\")", "x".repeat(kib * 1024)));
    assert_eq!(prescan(&custom(1024)), Ok(Share::default()));
    assert_eq!(excess(&custom(32 * 1024 + 1)).0, Quantity::CustomBytes);
}

#[test]
fn parts_and_their_nesting_are_counted() {
    let many = format!("(component {})", "(core module)".repeat(501));
    assert_eq!(excess(&wat(&many)), nameless(Quantity::Parts, 501));
    let deep = format!("{}{}", "(component ".repeat(22), ")".repeat(22));
    assert_eq!(excess(&wat(&deep)), nameless(Quantity::Depth, 21));
}

#[test]
fn a_type_with_too_many_members_is_named() {
    let fields: String = (0..501).map(|n| format!("(field \"f{n}\" u8) ")).collect();
    let text = format!(
        "(component (import \"a:b/c@0.1.0\" (instance
            (type $small (record (field \"x\" u8))) (export \"small\" (type (eq $small)))
            (type $large (record {fields})) (export \"large\" (type (eq $large))))))"
    );
    let named = (Quantity::Members, 501, "a:b/c@0.1.0#large".to_owned());
    assert_eq!(excess(&wat(&text)), named);
    let said = prescan(&wat(&text)).unwrap_err().to_string();
    assert!(
        said.ends_with("at `a:b/c@0.1.0#large`; at most 500 are accepted"),
        "{said}"
    );

    let cases: String = (0..501).map(|n| format!("\"c{n}\" ")).collect();
    let exported = format!("(component (type $t (enum {cases})) (export \"t\" (type $t)))");
    assert_eq!(excess(&wat(&exported)), (Quantity::Members, 501, "t".to_owned()));
    let unnamed = format!("(component (type (flags {cases})))");
    assert_eq!(excess(&wat(&unnamed)), nameless(Quantity::Members, 501));
}

#[test]
fn types_within_types_end_somewhere() {
    let chain = |levels: usize, of: &str| {
        let types: String = (1..levels)
            .map(|n| {
                of.replace("$at", &format!("$t{}", n - 1))
                    .replace("$new", &format!("$t{n}"))
            })
            .collect();
        wat(&format!("(component (type $t0 (list u8)) {types})"))
    };
    let tuple = "(type $new (tuple $at))";
    assert_eq!(prescan(&chain(49, tuple)), Ok(Share::default()));
    assert_eq!(excess(&chain(50, tuple)), nameless(Quantity::TypeDepth, 51));
    // Two thousand bytes that stand for a thousand million million parts.
    let (quantity, found, _) = excess(&chain(45, "(type $new (tuple $at $at))"));
    assert_eq!(quantity, Quantity::TypeParts);
    assert!(found > 10_000);
}

#[test]
fn a_parser_that_calls_itself_has_stack_enough_for_the_largest_section() {
    let levels = 80_000;
    let mut section = vec![1];
    section.extend([0x42, 1, 1].repeat(levels));
    section.extend([0x42, 0]);
    assert_eq!(excess(&types(&section)), nameless(Quantity::TypeDepth, 51));
    section.resize(256 * 1024 + 1, 0);
    assert_eq!(excess(&types(&section)).0, Quantity::TypeBytes);
}

#[test]
fn what_ends_early_is_invalid() {
    let whole = module("(func (param i32) (result i32) local.get 0) (memory 1) (data (i32.const 0) \"abc\")");
    for end in 8..whole.len() {
        // What ends between two sections has ended well.
        if let Err(error) = prescan(&whole[..end]) {
            assert!(matches!(error, LoadError::Invalid { .. }), "{end}: {error}");
        }
    }
    assert!(matches!(
        prescan(b"\0asm\x0d\0\x01\0\x07"),
        Err(LoadError::Invalid { .. })
    ));
}

proptest! {
    #[test]
    fn no_bytes_break_the_scan(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = wat("(component (core module $m (memory 1) (func (param i32) block local.get 0 br_table 0 0 end))
            (core instance (instantiate $m)) (type (record (field \"a\" (list string)))) (import \"a\" (func)))");
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = prescan(&bytes);
    }
}
