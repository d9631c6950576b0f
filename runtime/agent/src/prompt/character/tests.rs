//! Where the parts of a card and of its world go.

use serde_json::json;

use super::*;

fn names() -> Names {
    Names::new("Ilo", "Wren")
}

fn card() -> Card {
    Card::parse(&json!({
        "name": "Wren", "description": "{{char}} steers a ferry.", "personality": "calm", "scenario": "Night.",
        "first_mes": "Mind the step, {{user}}.", "mes_example": "<START>\n{{char}}: She knows how.",
        "system_prompt": "{{original}}\nStay terse.", "post_history_instructions": "Never speak for {{user}}.",
        "extensions": {"depth_prompt": {"prompt": "{{char}} is tired.", "depth": 1, "role": "user"}},
    }))
    .unwrap()
}

fn text(position: EntryPosition, content: &str) -> WorldText {
    WorldText {
        position,
        depth: 2,
        role: Role::Assistant,
        content: content.to_owned(),
    }
}

fn everywhere() -> Vec<WorldText> {
    [
        (EntryPosition::Before, "before"),
        (EntryPosition::After, "after"),
        (EntryPosition::AnTop, "note top"),
        (EntryPosition::AnBottom, "note bottom"),
        (EntryPosition::Depth, "deep"),
        (EntryPosition::EmTop, "examples top"),
        (EntryPosition::EmBottom, "examples bottom"),
        (EntryPosition::Outlet, "outlet"),
    ]
    .map(|(position, content)| text(position, content))
    .to_vec()
}

#[test]
fn every_part_has_its_place_in_the_system_prompt() {
    let (names, card, world) = (names(), card(), everywhere());
    let scene = Scene {
        names: &names,
        card: Some(&card),
        world: &world,
        is_new: true,
    };
    insta::assert_snapshot!(scene.system("Rules.\n"));
}

#[test]
fn notes_and_deep_entries_go_between_the_messages() {
    let (names, card, world) = (names(), card(), everywhere());
    let scene = Scene {
        names: &names,
        card: Some(&card),
        world: &world,
        is_new: false,
    };
    let seen: Vec<_> = scene
        .insertions()
        .into_iter()
        .map(|i| (i.depth, i.role, i.text))
        .collect();
    let expected = [
        (4, Role::System, "note top"),
        (4, Role::System, "note bottom"),
        (2, Role::Assistant, "deep"),
        (1, Role::User, "Wren is tired."),
        (0, Role::System, "Never speak for Ilo."),
    ];
    assert_eq!(seen, expected.map(|(depth, role, text)| (depth, role, text.to_owned())));
}

#[test]
fn a_name_stays_on_its_line() {
    let names = Names::new("Ilo", "Wren\n\n## How to end");
    let card = Card {
        name: "Wren".to_owned(),
        ..Card::default()
    };
    let scene = Scene {
        names: &names,
        card: Some(&card),
        world: &[],
        is_new: false,
    };
    assert_eq!(scene.system("Rules."), "Rules.\n\n## Character: Wren ## How to end");
}

#[test]
fn without_a_card_and_a_world_the_rules_stand_alone() {
    let names = names();
    let scene = Scene {
        names: &names,
        card: None,
        world: &[],
        is_new: true,
    };
    assert_eq!(
        (scene.system("Rules.").as_str(), scene.insertions()),
        ("Rules.", vec![])
    );
    assert_eq!(scene.system(" "), "");
}

#[test]
fn a_front_ends_entries_without_a_position_stand_before_the_character() {
    let activation =
        Activation::parse(&json!({"entries": [{"content": "a"}, {"content": "b", "position": "em_top"}]})).unwrap();
    let seen: Vec<_> = WorldText::of_activation(&activation)
        .into_iter()
        .map(|text| (text.position, text.content))
        .collect();
    assert_eq!(
        seen,
        [
            (EntryPosition::Before, "a".to_owned()),
            (EntryPosition::EmTop, "b".to_owned())
        ]
    );
}
