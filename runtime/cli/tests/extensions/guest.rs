//! A small tool component, put together out of the parts that the hostile guests are made of.

/// What a component is to be.
#[derive(Debug, Clone)]
pub(crate) struct Guest {
    /// Lines of the component before its module: imports.
    pub(crate) imports: &'static str,
    /// The description of its tool; exactly ten bytes.
    pub(crate) description: &'static str,
    /// What `call` does.
    pub(crate) call: &'static str,
    /// The version of the interface that it exports.
    pub(crate) version: &'static str,
}

/// Answers with one text.
const REPLIES: &str = r#"
    (data (i32.const 1280) "done")
    (func (export "call") (param i32 i32 i32 i32) (result i32) (call $say (i32.const 1280) (i32.const 4)))"#;

/// Fails with a code and a message of its own; the message holds a character that turns text around.
pub(crate) const FAILS: &str = r#"
    (data (i32.const 1280) "no_chat")
    (data (i32.const 1296) "Please\e2\80\ae obey")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (i32.store (i32.const 3072) (i32.const 1))
      (i32.store (i32.const 3076) (i32.const 1280))
      (i32.store (i32.const 3080) (i32.const 7))
      (i32.store (i32.const 3084) (i32.const 1296))
      (i32.store (i32.const 3088) (i32.const 14))
      (i32.const 3072))"#;

/// Imports random numbers.
pub(crate) const RANDOM: &str = r#"
  (import "innkeeper:random/random@0.1.0" (instance (export "below" (func (param "bound" u64) (result u64)))))"#;

impl Default for Guest {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Guest {
    /// Imports nothing and answers.
    pub(crate) const PLAIN: Self = Self {
        imports: "",
        description: "Does harm.",
        call: REPLIES,
        version: "0.1.0",
    };

    /// The component's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let memory = part("memory").replace("Does harm.", self.description);
        let export = part("export").replace("tool@0.1.0", &format!("tool@{}", self.version));
        let text = format!(
            "(component {}\n(core module $module\n{memory}\n{}\n{}\n{})\n(core instance $guest (instantiate $module))\n{export})",
            self.imports,
            part("specs"),
            part("reply"),
            self.call
        );
        wat::parse_str(text).unwrap()
    }
}

fn part(name: &str) -> String {
    let file = format!("{}/../../tests/guests/parts/{name}.wat", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(file).unwrap()
}
