//! An error in words: what failed and why, and what to do.

use crate::exit::Exit;
use crate::failure::Failure;

use super::paint::Paint;
use super::text::plain_lines;

/// `error: ... [code]` and `hint: ...`.
pub(crate) fn error_text(failure: &Failure, paint: Paint) -> String {
    let head = if failure.exit == Exit::Cancelled {
        paint.odd("cancelled:")
    } else {
        paint.bad("error:")
    };
    let message = plain_lines(&failure.message);
    let code = paint.dim(&format!("[{}]", failure.code));
    let hint = failure
        .hint
        .iter()
        .map(|hint| format!("\n{} {}", paint.good("hint:"), plain_lines(hint)));
    format!("{head} {message} {code}{}", hint.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_why_and_what_to_do() {
        let failure = Failure::usage("chat.not_found", "there is no chat \u{1b}x").hint("Check the path.");
        let text = error_text(&failure, Paint::new(false));
        assert_eq!(
            text,
            "error: there is no chat \u{fffd}x [chat.not_found]\nhint: Check the path."
        );
    }
}
