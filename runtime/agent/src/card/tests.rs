//! Cards of each version, and what is wrong with others.

use serde_json::json;

use super::*;

fn wren() -> Card {
    Card {
        name: "Wren".to_owned(),
        description: "Steers a ferry.".to_owned(),
        first_message: "Mind the step, {{user}}.".to_owned(),
        ..Card::default()
    }
}

#[test]
fn the_first_version_is_flat_and_later_ones_lie_in_data() {
    let fields = json!({"name": " Wren ", "description": "Steers a ferry.", "first_mes": "Mind the step, {{user}}."});
    assert_eq!(Card::parse(&fields), Ok(wren()));
    for spec in ["chara_card_v2", "chara_card_v3", "chara_card_v9"] {
        let card = json!({"spec": spec, "name": "Old", "description": 7, "data": fields});
        assert_eq!(Card::parse(&card), Ok(wren()), "{spec}");
    }
    let mut marked = fields.clone();
    marked["spec"] = json!("chara_card_v2");
    assert_eq!(Card::parse(&marked), Ok(wren()), "the marker alone");
}

#[test]
fn everything_that_a_prompt_needs_is_taken() {
    let card = Card::parse(&json!({"spec": "chara_card_v3", "data": {
        "name": "Wren", "nickname": "Captain", "personality": "calm", "scenario": "night", "mes_example": "<START>",
        "creator_notes": "slow", "system_prompt": "{{original}} Be Wren.", "post_history_instructions": "Stay.",
        "tags": "river, night", "character_book": {"entries": []},
        "extensions": {"depth_prompt": {"prompt": "She is tired.", "depth": "2", "role": "assistant"}, "risuai": [1]},
    }}));
    let expected = Card {
        name: "Wren".to_owned(),
        nickname: "Captain".to_owned(),
        personality: "calm".to_owned(),
        scenario: "night".to_owned(),
        example_messages: "<START>".to_owned(),
        creator_notes: "slow".to_owned(),
        system_prompt: "{{original}} Be Wren.".to_owned(),
        post_history_instructions: "Stay.".to_owned(),
        tags: vec!["river".to_owned(), "night".to_owned()],
        note: Some(Note {
            text: "She is tired.".to_owned(),
            depth: 2,
            role: Role::Assistant,
        }),
        book: Some(json!({"entries": []})),
        ..Card::default()
    };
    assert_eq!(card.as_ref().map(Card::spoken_name), Ok("Captain"));
    assert_eq!(card, Ok(expected));
}

#[test]
fn what_is_wrong_is_named() {
    let told = |value| Card::parse(&value).map_err(|error| (error.code(), error.to_string()));
    let refused = |message: &str| Err(("card.invalid", message.to_owned()));
    assert_eq!(
        told(json!([])),
        refused("a character card is a JSON object, and this is a list")
    );
    assert_eq!(
        told(json!({"spec": "chara_card_v2", "data": {"name": "W", "scenario": 3}})),
        refused("the character card is damaged: data.scenario must be a text, and is a number")
    );
    assert_eq!(
        told(json!({"name": "W", "tags": {}})),
        refused("the character card is damaged: tags must be a list of texts, and is an object")
    );
    assert_eq!(
        told(json!({"data": {"name": "  "}})),
        refused("the character card has no name: data.name is missing or blank")
    );
    assert_eq!(
        told(json!({"spec": "lorebook_v3", "data": {"entries": []}})),
        refused("this is a world info book, not a character card")
    );
}

#[test]
fn nothing_and_null_are_the_same_and_odd_extensions_are_passed_over() {
    let mut card = json!({"name": "Wren", "character_book": null, "scenario": null, "extensions": []});
    let plain = Card {
        name: "Wren".to_owned(),
        ..Card::default()
    };
    assert_eq!(Card::parse(&card), Ok(plain.clone()));
    card["extensions"] = json!({"depth_prompt": {"prompt": 5}});
    assert_eq!(Card::parse(&card), Ok(plain));
}
