//! A package for the person who decides whether to install it, and what came of that.
//!
//! Every text in it is a stranger's: it is made harmless, and marked as his where it could be taken for ours.

use innkeeper::protocol::id::ProfileId;
use innkeeper::{AskedCapability, ExtensionOffer, ExtensionState, InstallOutcome, InstallReport, ReplacedEdition};

use super::calls::bytes;
use super::extensions::state_lines;
use super::paint::Paint;
use super::spec::spec_lines;
use super::text::{counted, plain, wrap};
use super::tools::permission_name;

/// Names beside a package that are told.
const MAX_LEFT_OUT: usize = 8;

/// What a package is, asks for and holds.
pub(crate) fn offer_text(offer: &ExtensionOffer, paint: Paint, columns: usize) -> String {
    let head = format!("{} {}", offer.id, plain(&offer.version));
    let publisher = format!("published by {} (nobody has checked that)", plain(&offer.publisher));
    let mut lines = vec![
        format!("{}  {}", paint.strong(&head), paint.dim(&publisher)),
        wrap(&plain(&offer.description), columns, 2),
        paint.dim(&format!("  sha256 {}  {}", offer.sha256, bytes(offer.bytes))),
        String::new(),
        paint.strong("asks for"),
    ];
    if offer.capabilities.is_empty() {
        lines.push(paint.dim("  nothing"));
    }
    lines.extend(offer.capabilities.iter().map(|asked| asked_line(asked, paint, columns)));
    lines.extend(suggestions(offer, paint, columns));
    for tool in &offer.tools {
        let title = format!("{}  {}", paint.strong(tool.native_name.as_str()), plain(&tool.title));
        lines.extend([String::new(), title, paint.dim(tool.id.as_str()), String::new()]);
        lines.extend(spec_lines(tool, paint, columns));
    }
    lines.extend(
        offer
            .replaces
            .iter()
            .flat_map(|replaced| replaced_lines(replaced, paint, columns)),
    );
    lines.extend(left_out(&offer.left_out, paint, columns));
    lines.push(String::new());
    lines.join("\n")
}

fn asked_line(asked: &AskedCapability, paint: Paint, columns: usize) -> String {
    let granted = if asked.granted { "  granted before" } else { "" };
    format!(
        "  {}{}\n{}\n{}",
        paint.name(&plain(&asked.name)),
        paint.dim(granted),
        wrap(&format!("to {}", asked.words), columns, 6),
        wrap(&format!("\u{201c}{}\u{201d}", plain(&asked.reason)), columns, 6),
    )
}

fn suggestions(offer: &ExtensionOffer, paint: Paint, columns: usize) -> Vec<String> {
    let limits = offer.limits.iter().map(|(name, value)| format!("{name} {value}"));
    let permissions = offer.permissions.iter();
    let permissions = permissions.map(|(tool, permission)| format!("{tool} {}", permission_name(*permission)));
    let all: Vec<String> = limits.chain(permissions).collect();
    if all.is_empty() {
        return Vec::new();
    }
    vec![
        String::new(),
        paint.strong("suggests"),
        wrap(&all.join(", "), columns, 2),
    ]
}

fn replaced_lines(replaced: &ReplacedEdition, paint: Paint, columns: usize) -> Vec<String> {
    let head = format!("takes the place of {}", plain(&replaced.version));
    let mut lines = vec![String::new(), paint.strong(&head)];
    if replaced.changes.is_empty() {
        lines.push(paint.dim("  it asks for the same, and its tools say the same of themselves"));
    }
    lines.extend(replaced.changes.iter().map(|change| {
        let words = wrap(&plain(&change.words), columns, 4);
        let words = words.trim_start();
        match change.needs_acceptance {
            true => format!("  {} {words}", paint.odd("!")),
            false => format!("    {words}"),
        }
    }));
    lines
}

fn left_out(names: &[String], paint: Paint, columns: usize) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let shown: Vec<String> = names.iter().take(MAX_LEFT_OUT).map(|name| plain(name)).collect();
    let more = if names.len() > MAX_LEFT_OUT { ", ..." } else { "" };
    let text = format!("no part of the package and not installed: {}{more}", shown.join(", "));
    vec![String::new(), paint.dim(&wrap(&text, columns, 0))]
}

/// What came of an installation. `data` is what a proposed command needs to find the same data.
pub(crate) fn install_text(
    report: &InstallReport,
    added: Option<(&ProfileId, usize)>,
    data: &str,
    paint: Paint,
    columns: usize,
) -> String {
    let extension = &report.extension;
    let done = match report.outcome {
        InstallOutcome::Installed => "installed",
        InstallOutcome::Updated => "updated",
        InstallOutcome::Renewed => "is installed already; its files are as they should be",
        InstallOutcome::Waiting => "an update waits",
    };
    let head = format!("{} {}", extension.id, plain(&extension.version));
    let mut lines = vec![format!("{} {} {done}", paint.good("\u{2713}"), paint.strong(&head))];
    lines.extend(state_lines(extension, data, paint, columns));
    match added {
        Some((profile, 0)) => lines.push(format!("  The profile {profile} allows its tools already.")),
        Some((profile, count)) => {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            lines.push(format!(
                "  The profile {profile} allows {} more.",
                counted(count, "tool")
            ));
        }
        None if extension.state == ExtensionState::On => {
            let command = format!("innkeeper run --with extension/{} ...{data}", extension.id);
            lines.push(format!("  {} offers its tools in a run.", paint.name(&command)));
        }
        None => {}
    }
    lines.join("\n")
}
