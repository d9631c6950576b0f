//! What a list shows, and what it does not.

use serde_json::json;

use super::*;
use crate::fake::{Fake, structured};

#[test]
fn the_list_has_names_and_purposes_only() {
    let mut fake = Fake::lore(&[("SKILL.md", "x")]).with_budget(1, 0);
    let style = "How the story is told.\n- forged: line";
    fake.descriptions.insert("style".into(), style.into());
    fake.descriptions.insert("secret".into(), "Hidden by policy.".into());
    let reply = fake.call(|fake| list(ListArguments {}, fake)).expect("a reply");
    assert_eq!(
        reply.text,
        "- lore: Keeps the facts of the world.\n- style: How the story is told. - forged: line\n\n\
         Read a skill that fits with skill_read and its name, before you start the work it is for."
    );
    let expected = json!({"skills": [
        {"name": "lore", "description": "Keeps the facts of the world."},
        {"name": "style", "description": style},
    ]});
    assert_eq!(structured(&reply), expected);
    assert!(reply.resource_refs.is_empty());
}

#[test]
fn nothing_to_list_is_a_success() {
    let mut fake = Fake::lore(&[]);
    fake.denied.insert("*".into());
    let reply = list(ListArguments {}, &mut fake).expect("a reply");
    assert_eq!(
        reply.text,
        "No skills are available here, so there is nothing to read; go on without."
    );
    assert_eq!(structured(&reply), json!({"skills": []}));
}

#[test]
fn a_list_takes_an_empty_object() {
    assert!(innkeeper_tool::arguments::<ListArguments>("{}").is_ok());
}
