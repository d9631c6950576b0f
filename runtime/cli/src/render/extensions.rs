//! What is installed, what was changed about it, and what keeps tools away.

use innkeeper::{
    Diagnostic, ExtensionCapability, ExtensionList, ExtensionReport, ExtensionState, GrantChange, RemovedExtension,
};

use super::paint::Paint;
use super::text::{plain, wrap};

/// Every installed extension, one below the other. `data` is the flag that a proposed command repeats.
pub(crate) fn extension_list(list: &ExtensionList, data: &str, paint: Paint, columns: usize) -> String {
    if list.extensions.is_empty() {
        return format!("No extension is installed. `innkeeper extension install DIR{data}` installs one.");
    }
    let texts: Vec<String> = list
        .extensions
        .iter()
        .map(|extension| extension_lines(extension, data, paint, columns).join("\n"))
        .collect();
    texts.join("\n\n")
}

fn extension_lines(extension: &ExtensionReport, data: &str, paint: Paint, columns: usize) -> Vec<String> {
    let head = format!("{} {}", extension.id, plain(&extension.version));
    let publisher = paint.dim(&format!("published by {}", plain(&extension.publisher)));
    let mut lines = vec![format!(
        "{}  {}  {publisher}",
        paint.strong(&head),
        state(extension.state, paint)
    )];
    lines.extend(extension.description.iter().map(|text| wrap(&plain(text), columns, 2)));
    lines.extend(
        extension
            .capabilities
            .iter()
            .map(|asked| capability_line(asked, paint, columns)),
    );
    let tools: Vec<&str> = extension.tools.iter().map(|tool| tool.as_str()).collect();
    if !tools.is_empty() {
        lines.push(wrap(&tools.join(", "), columns, 2));
    }
    lines.extend(state_lines(extension, data, paint, columns));
    lines
}

fn capability_line(asked: &ExtensionCapability, paint: Paint, columns: usize) -> String {
    let granted = match asked.granted {
        true => paint.good("granted"),
        false => paint.odd("not granted"),
    };
    let reason = asked
        .reason
        .as_deref()
        .map(|reason| format!("; \u{201c}{}\u{201d}", plain(reason)));
    let words = format!("to {}{}", asked.words, reason.unwrap_or_default());
    format!(
        "  {}  {granted}\n{}",
        paint.name(&plain(&asked.name)),
        wrap(&words, columns, 6)
    )
}

fn state(state: ExtensionState, paint: Paint) -> String {
    match state {
        ExtensionState::On => paint.good("on"),
        ExtensionState::Off => paint.odd("off"),
        ExtensionState::Damaged => paint.bad("damaged"),
    }
}

/// Why it is not on, and what waits.
pub(super) fn state_lines(extension: &ExtensionReport, data: &str, paint: Paint, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(problem) = &extension.problem {
        lines.push(format!(
            "  {} {}",
            paint.bad("!"),
            wrap(&plain(&problem.message), columns, 4).trim_start()
        ));
        lines.extend(problem.hint.iter().map(|hint| wrap(&plain(hint), columns, 4)));
    }
    if let Some(update) = &extension.update {
        let head = format!(
            "version {} waits until it is accepted, because:",
            plain(&update.version)
        );
        lines.push(format!("  {} {head}", paint.odd("!")));
        lines.extend(
            update
                .changes
                .iter()
                .map(|change| wrap(&plain(&change.words), columns, 6)),
        );
        lines.push(format!("    innkeeper extension accept {}{data}", extension.id));
    }
    lines
}

/// A change of grants, or of what is accepted.
pub(crate) fn grant_text(change: &GrantChange, data: &str, paint: Paint, columns: usize) -> String {
    let head = match change.changed {
        true => "From the next run on:",
        false => "That is so already.",
    };
    let mut lines = vec![head.to_owned()];
    lines.extend(extension_lines(&change.extension, data, paint, columns));
    lines.join("\n")
}

/// A removal.
pub(crate) fn removal_text(removed: &RemovedExtension) -> String {
    format!(
        "{} {} is removed. Runs that are on their way keep its tools to their end.",
        removed.removed,
        plain(&removed.version)
    )
}

/// Something that keeps tools away.
pub(crate) fn diagnostic_text(diagnostic: &Diagnostic, paint: Paint, columns: usize) -> String {
    let message = format!("{} [{}]", plain(&diagnostic.message), diagnostic.code);
    let mut lines = vec![format!(
        "{} {}",
        paint.odd("!"),
        wrap(&message, columns, 2).trim_start()
    )];
    lines.extend(diagnostic.hint.iter().map(|hint| wrap(&plain(hint), columns, 2)));
    lines.join("\n")
}
