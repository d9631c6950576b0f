//! What of a conversation is sent: which results are whole, and that nothing is copied.

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::Role;

use super::*;

fn result(call: &str, content: &str) -> ToolResultPart {
    ToolResultPart {
        call_id: CallId::parse(call).unwrap(),
        alias: "chat_search".to_owned(),
        content: content.to_owned(),
        is_error: false,
        error_code: None,
    }
}

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::parse(&format!("tool-results/{name}.json")).unwrap()
}

/// What is sent of results with these texts, which are stored under their numbers.
fn sent(texts: &[&str], keep_full: u32, max_chars: Option<u32>) -> Vec<String> {
    let mut conversation = Conversation::new(Vec::new(), keep_full, max_chars);
    for (number, text) in texts.iter().enumerate() {
        conversation.push(tool_result_message(result("c", text), &path(&number.to_string())));
    }
    let contents = conversation.to_send().into_iter().map(|message| {
        let (result, rest) = message.parts.split_first().unwrap();
        let Part::ToolResult { result } = result else {
            panic!("{result:?}, {rest:?}")
        };
        result.content.clone()
    });
    contents.collect()
}

fn line(chars: usize, name: &str) -> String {
    format!(
        "[Result of {chars} characters, left out here to save space. It is stored whole in `tool-results/{name}.json`.]"
    )
}

#[test]
fn the_oldest_results_become_one_line_with_their_ref() {
    let texts: Vec<String> = (0..25).map(|number| format!("text {number:02}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut expected: Vec<String> = (0..5).map(|number| line(7, &number.to_string())).collect();
    expected.extend(texts[5..].iter().map(|text| (*text).to_owned()));
    assert_eq!(sent(&texts, 20, None), expected);
    assert!(expected.iter().all(|line| !line.contains('\n')));
    assert_eq!(sent(&["a", "b"], 0, None), [line(1, "0"), line(1, "1")]);
}

#[test]
fn a_long_result_is_replaced_even_when_it_is_new_and_only_once() {
    let texts = ["界界界", "界界界界", "a"];
    assert_eq!(
        sent(&texts, 20, Some(3)),
        ["界界界".to_owned(), line(4, "1"), "a".to_owned()]
    );
    // It counts among the newest, and growing old changes nothing any more.
    assert_eq!(sent(&texts, 2, Some(3)), [line(3, "0"), line(4, "1"), "a".to_owned()]);
    assert_eq!(sent(&texts, 1, Some(3)), [line(3, "0"), line(4, "1"), "a".to_owned()]);
}

#[test]
fn nothing_but_tool_results_changes() {
    let error = ToolResultPart {
        is_error: true,
        ..result("a", "## Tool error\n\nNo.")
    };
    let said = [
        Message::of_text(Role::User, "a very long text"),
        Message::of_text(Role::Assistant, "another"),
    ];
    let mut conversation = Conversation::new(vec![said[0].clone()], 0, Some(1));
    conversation.push(tool_result_message(error.clone(), &path("b")));
    conversation.push(said[1].clone());
    let content = "[Error of 18 characters, left out here to save space. It is stored whole in `tool-results/b.json`.]"
        .to_owned();
    let shortened = Message::of_tool_result(ToolResultPart { content, ..error });
    let [first, second] = said;
    assert_eq!(conversation.to_send(), [first, shortened, second].map(Arc::new));
}

#[test]
fn a_message_is_copied_for_no_request_and_rewritten_once() {
    let mut conversation = Conversation::new(vec![Message::of_text(Role::User, "hi")], 1, None);
    for name in ["a", "b"] {
        conversation.push(tool_result_message(result(name, "text"), &path(name)));
    }
    let earlier = conversation.to_send();
    conversation.push(tool_result_message(result("c", "text"), &path("c")));
    let later = conversation.to_send();
    let is_shared = earlier
        .iter()
        .zip(&later)
        .map(|(earlier, later)| Arc::ptr_eq(earlier, later));
    // The person's words, the line that stands for `a`, and `b`, whose time came with `c`.
    assert_eq!(is_shared.collect::<Vec<_>>(), [true, true, false]);
    assert!(
        conversation
            .to_send()
            .iter()
            .zip(&later)
            .all(|(one, other)| Arc::ptr_eq(one, other))
    );
}
