//! Files that are made rather than written: larger, deeper or stranger than anybody would type.
//!
//! What the host must say of each is in `load`.

use crate::guests::{assemble, component, text};

/// A number as WebAssembly writes it.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A section, or anything else that has a length before it.
fn section(id: u8, contents: &[u8]) -> Vec<u8> {
    [&[id][..], &number(contents.len()), contents].concat()
}

/// A component that has one module.
fn around(module: &[u8]) -> Vec<u8> {
    [b"\0asm\x0d\0\x01\0", &section(1, module)[..]].concat()
}

/// A component with a module of functions without parameters and results, all with this body.
fn functions(count: usize, body: &[u8]) -> Vec<u8> {
    let kinds = section(1, &[1, 0x60, 0, 0]);
    let declared = section(3, &[number(count), vec![0; count]].concat());
    let one = [&number(body.len()), body].concat();
    let code = section(10, &[number(count), one.repeat(count)].concat());
    around(&[b"\0asm\x01\0\0\0", &kinds[..], &declared, &code].concat())
}

/// Blocks within each other, 1 MB of them.
pub fn nested_blocks() -> Vec<u8> {
    let blocks = 350_000;
    let body = [vec![0], [0x02, 0x40].repeat(blocks), vec![0x0b; blocks + 1]].concat();
    functions(1, &body)
}

/// A million functions that do nothing.
pub fn many_functions() -> Vec<u8> {
    functions(1_000_000, &[0, 0x0b])
}

/// A function with this many local variables.
pub fn many_locals(count: usize) -> Vec<u8> {
    functions(1, &[vec![1], number(count), vec![0x7f, 0x0b]].concat())
}

/// A branch table with this many targets.
pub fn branch_table(targets: usize) -> Vec<u8> {
    let table = [
        vec![0, 0x41, 0, 0x0e],
        number(targets),
        vec![0; targets + 1],
        vec![0x0b],
    ];
    functions(1, &table.concat())
}

/// One function within every cap, in which each of many branches changes one of many variables: what a compiler has to keep in mind
/// grows with the product.
pub fn many_joins() -> Vec<u8> {
    let variables = 9_000;
    let mut body = [vec![1], number(variables), vec![0x7f]].concat();
    for n in 0..150_000 {
        let (asked, set) = (number(n % variables), number(n * 7 % variables));
        body.extend([&[0x20][..], &asked, &[0x04, 0x40, 0x41, 1, 0x21], &set, &[0x0b]].concat());
    }
    body.push(0x0b);
    functions(1, &body)
}

/// A component that imports an instance with these types.
fn importing(types: &str) -> Vec<u8> {
    assemble(&format!(
        "(component (import \"hostile:types/shapes@0.1.0\" (instance {types})))"
    ))
}

/// A type with very many members, under the name `shape`.
pub fn wide(kind: &str, member: &str, count: usize) -> Vec<u8> {
    let members: String = (0..count)
        .map(|n| format!("{} ", member.replace('#', &n.to_string())))
        .collect();
    importing(&format!(
        "(type $t ({kind} {members})) (export \"shape\" (type (eq $t)))"
    ))
}

/// Types within types, the last under the name `shape`.
pub fn deep(of: &str, levels: usize) -> Vec<u8> {
    let level = |n: usize| format!("(type $t{n} {}) ", of.replace('#', &format!("$t{}", n - 1)));
    let types: String = (1..levels).map(level).collect();
    let last = levels - 1;
    importing(&format!(
        "(type $t0 (list u8)) {types} (export \"shape\" (type (eq $t{last})))"
    ))
}

/// Instance types within instance types: three bytes a level, and a parser calls itself for each.
pub fn nested_types() -> Vec<u8> {
    let section_of_types = [vec![1], [0x42, 1, 1].repeat(80_000), vec![0x42, 0]].concat();
    [b"\0asm\x0d\0\x01\0", &section(7, &section_of_types)[..]].concat()
}

/// Components that instantiate the one within them twice, level by level.
pub fn doubling_instances() -> Vec<u8> {
    let mut text = "(component $c0 (core module $m) (core instance (instantiate $m)))".to_owned();
    for level in 1..=18 {
        let twice = format!("(instance (instantiate $c{}))", level - 1).repeat(2);
        text = format!("(component $c{level} {text} {twice})");
    }
    assemble(&text)
}

/// A good guest that imports one thing more.
pub fn importing_also(import: &str) -> Vec<u8> {
    let text = text("well_behaved");
    assemble(&text.replacen("(component", &format!("(component\n{import}"), 1))
}

/// A good guest with a custom section behind it.
pub fn with_custom(name: &str, bytes: usize) -> Vec<u8> {
    [component("well_behaved"), custom(name, bytes)].concat()
}

/// What makes a component large and nothing else.
pub fn padding(bytes: usize) -> Vec<u8> {
    custom("padding", bytes)
}

fn custom(name: &str, bytes: usize) -> Vec<u8> {
    let contents = [number(name.len()), name.as_bytes().to_vec(), vec![0xff; bytes]].concat();
    section(0, &contents)
}

/// A guest whose structured part is this text.
pub fn answering(json: &str) -> Vec<u8> {
    let escaped: String = json.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let text = text("structured").replace("(; bytes ;) 0", &json.len().to_string());
    assemble(&text.replace("(; json ;)", &escaped))
}
