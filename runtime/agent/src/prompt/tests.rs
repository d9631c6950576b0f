//! What models read, as snapshots, and the rules of selection.

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{Message, Part, Role};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::ChatRole;
use innkeeper_protocol::tool::ToolSpec;

use super::*;
use crate::profile::PromptBudget;
use crate::profile::tests::{catalogue, default_profile, resolved, spec};

/// The built-in tools of these names, under their usual aliases.
fn offered(names: &[&str]) -> Vec<(ModelAlias, ToolSpec)> {
    let offer = |name: &&str| {
        (
            ModelAlias::parse(&name.replace('.', "_")).unwrap(),
            spec(&format!("builtin:{name}")),
        )
    };
    names.iter().map(offer).collect()
}

fn prompt_for(tools: &[(ModelAlias, ToolSpec)]) -> String {
    system_prompt(&resolved(&default_profile()), tools)
}

mod system {
    use super::*;

    #[test]
    fn a_writer_with_everything() {
        let mut tools = Vec::new();
        for spec in catalogue() {
            let alias = match spec.id.as_str().strip_prefix("builtin:") {
                Some(name) => name.replace('.', "_"),
                None => "mcp__weather__get_forecast".to_owned(),
            };
            tools.push((ModelAlias::parse(&alias).unwrap(), spec));
        }
        insta::assert_snapshot!(prompt_for(&tools));
    }

    #[test]
    fn a_child() {
        insta::assert_snapshot!(prompt_for(&offered(&[
            "chat.search",
            "workspace.write_file",
            "task.return"
        ])));
    }

    #[test]
    fn endings_differ_by_what_can_end() {
        let ending = |names: &[&str]| {
            let prompt = prompt_for(&offered(names));
            prompt
                .split_once("## How to end\n\n")
                .map(|(_, ending)| ending.to_owned())
        };
        let endings = [
            ending(&["workspace.commit", "workspace.finish", "agent.handoff"]),
            ending(&["workspace.finish"]),
            ending(&["agent.handoff"]),
        ];
        insta::assert_snapshot!(endings.map(Option::unwrap).join("\n---\n"));
        assert_eq!(ending(&["chat.search"]), None);
    }

    #[test]
    fn only_what_is_offered_is_named_and_by_its_alias() {
        let renamed = [(ModelAlias::parse("look_up").unwrap(), spec("builtin:chat.search"))];
        let prompt = prompt_for(&renamed);
        assert!(prompt.contains("- `look_up` finds"), "{prompt}");
        for absent in ["chat_search", "chat_read_messages", "## Skills", "{alias}", "###"] {
            assert!(!prompt.contains(absent), "{absent} in {prompt}");
        }
    }

    #[test]
    fn the_profiles_own_text_stands_alone() {
        let mut profile = default_profile();
        profile.instructions.agent_system_prompt = Some("Write {alias} in verse.\n".to_owned());
        let prompt = system_prompt(&resolved(&profile), &offered(&["chat.search"]));
        assert_eq!(prompt, "Write {alias} in verse.\n");
    }
}

mod reminders {
    use super::*;

    #[test]
    fn each_variant_has_its_words() {
        let saved = WorkspacePath::parse("output/direct_output.md").unwrap();
        let variants = [
            reminder(&["workspace_commit", "workspace_finish"], Some(&saved), true),
            reminder(&["workspace_commit", "workspace_finish"], Some(&saved), false),
            reminder(&["workspace_finish"], None, false),
            reminder(&["agent_handoff"], None, false),
            reminder(&["chat_search"], None, false),
            reminder(&["task_return", "workspace_finish"], Some(&saved), false),
        ];
        assert!(variants.iter().all(|message| message.role == Role::User));
        let texts: Vec<String> = variants.iter().map(Message::text).collect();
        insta::assert_snapshot!(texts.join("\n---\n"));
    }
}

mod histories {
    use super::*;

    fn line(role: ChatRole, text: &str) -> ChatLine {
        ChatLine {
            role,
            name: String::new(),
            text: text.to_owned(),
            hidden: false,
        }
    }

    fn named(name: &str, text: &str) -> ChatLine {
        ChatLine {
            name: name.to_owned(),
            ..line(ChatRole::Assistant, text)
        }
    }

    fn budget(max_chars: u32) -> PromptBudget {
        PromptBudget {
            max_chars,
            max_messages: None,
        }
    }

    fn initial_messages(
        system: &str,
        history: &[ChatLine],
        instruction: Option<&str>,
        budget: PromptBudget,
    ) -> Vec<Message> {
        super::initial_messages(FirstRequest {
            system,
            history,
            insertions: &[],
            instruction,
            budget,
        })
    }

    fn said(messages: &[Message]) -> Vec<(Role, String)> {
        messages.iter().map(|message| (message.role, message.text())).collect()
    }

    fn texts(messages: &[Message]) -> Vec<String> {
        messages.iter().map(Message::text).collect()
    }

    #[test]
    fn system_chat_and_instruction_in_this_order() {
        let history = [
            line(ChatRole::Assistant, "Hello."),
            line(ChatRole::User, "Hi."),
            line(ChatRole::System, "Rain."),
        ];
        let messages = initial_messages("Rules.", &history, Some("Be brief."), budget(1_000));
        let expected = [
            (Role::System, "Rules."),
            (Role::Assistant, "Hello."),
            (Role::User, "Hi."),
            (Role::System, "Rain."),
            (Role::User, "Be brief."),
        ];
        assert_eq!(said(&messages), expected.map(|(role, text)| (role, text.to_owned())));
        assert_eq!(initial_messages(" ", &[], Some("  "), budget(10)), []);
    }

    #[test]
    fn hidden_and_blank_lines_are_skipped_and_do_not_count() {
        let mut hidden = line(ChatRole::User, "secret");
        hidden.hidden = true;
        let history = [
            line(ChatRole::User, "one"),
            hidden,
            line(ChatRole::Assistant, " \n"),
            line(ChatRole::User, "two"),
        ];
        let budget = PromptBudget {
            max_chars: 6,
            max_messages: Some(2),
        };
        assert_eq!(texts(&initial_messages("", &history, None, budget)), ["one", "two"]);
    }

    #[test]
    fn the_newest_that_fit_are_taken_without_a_gap() {
        let history = ["a", "bbbbb", "界界", "dd"].map(|text| line(ChatRole::User, text));
        let texts_of = |max_chars| texts(&initial_messages("", &history, None, budget(max_chars)));
        assert_eq!(texts_of(4), ["界界", "dd"]);
        assert_eq!(
            texts_of(8),
            ["界界", "dd"],
            "the line of 1 would fit, the one of 5 before it does not"
        );
        assert_eq!(texts_of(9), ["bbbbb", "界界", "dd"]);
        assert_eq!(texts_of(10), ["a", "bbbbb", "界界", "dd"]);
    }

    #[test]
    fn system_and_instruction_are_paid_from_the_budget() {
        let history = ["aaaa", "bb"].map(|text| line(ChatRole::User, text));
        let messages = initial_messages("sys", &history, Some("go"), budget(10));
        assert_eq!(texts(&messages), ["sys", "bb", "go"]);
    }

    #[test]
    fn the_newest_line_is_cut_at_its_beginning_and_never_dropped() {
        let text = format!("{}{}", "x".repeat(500), "界".repeat(MIN_NEWEST_CHARS));
        let history = [line(ChatRole::User, "older"), line(ChatRole::User, &text)];
        let messages = initial_messages("long rules", &history, None, budget(1));
        let kept = format!(
            "[The first 500 characters of this message are left out.]\n\n{}",
            "界".repeat(MIN_NEWEST_CHARS)
        );
        assert_eq!(texts(&messages), ["long rules".to_owned(), kept]);
        let short = [line(ChatRole::User, "short")];
        assert_eq!(
            texts(&initial_messages("", &short, None, budget(1))),
            ["short"],
            "below the least that is kept"
        );
    }

    #[test]
    fn no_message_is_wanted_and_none_is_shown() {
        let budget = PromptBudget {
            max_chars: 100,
            max_messages: Some(0),
        };
        assert_eq!(initial_messages("", &[line(ChatRole::User, "hi")], None, budget), []);
    }

    #[test]
    fn insertions_stand_at_their_depth_and_are_paid_first() {
        let at = |depth, text: &str| Insertion {
            depth,
            role: Role::System,
            text: text.to_owned(),
        };
        let history = ["aaaa", "bb", "cc"].map(|text| line(ChatRole::User, text));
        let insertions = [at(1, "x"), at(0, "end"), at(9, "top"), at(1, "y")];
        let request = |max_chars| FirstRequest {
            system: "sys",
            history: &history,
            insertions: &insertions,
            instruction: Some("go"),
            budget: budget(max_chars),
        };
        let texts_of = |max_chars| texts(&super::initial_messages(request(max_chars)));
        assert_eq!(request(0).fixed_chars(), 13);
        assert_eq!(texts_of(17), ["sys", "top", "bb", "x", "y", "cc", "end", "go"]);
        assert_eq!(texts_of(16), ["sys", "x", "top", "y", "cc", "end", "go"]);
        assert_eq!(texts_of(21), ["sys", "top", "aaaa", "bb", "x", "y", "cc", "end", "go"]);
    }

    #[test]
    fn names_are_shown_where_a_role_has_several() {
        let user = ChatLine {
            name: "Ada".to_owned(),
            ..line(ChatRole::User, "hi")
        };
        let alone = [user.clone(), named("Mira", "one"), named("Mira", "two")];
        assert_eq!(
            texts(&initial_messages("", &alone, None, budget(100))),
            ["hi", "one", "two"]
        );
        let group = [user, named("Mira", "one"), named("Tom", "two"), named("", "three")];
        assert_eq!(
            texts(&initial_messages("", &group, None, budget(100))),
            ["hi", "Mira: one", "Tom: two", "three"]
        );
    }
}

#[test]
fn visible_thoughts_are_joined_and_sealed_ones_left_out() {
    let thought = |text: Option<&str>| Part::Reasoning {
        text: text.map(str::to_owned),
        provider_metadata: Default::default(),
    };
    let text = Part::Text {
        text: "said".to_owned(),
    };
    let message = Message::new(
        Role::Assistant,
        vec![thought(Some("one")), text.clone(), thought(None), thought(Some("two"))],
    );
    assert_eq!(reasoning_text(&message).as_deref(), Some("one\n\ntwo"));
    assert_eq!(
        reasoning_text(&Message::new(Role::Assistant, vec![text, thought(None)])),
        None
    );
}
