//! Markdown tables whose columns line up in the source too.

/// A table whose first `text_columns` columns are words and whose others are numbers.
pub fn table(head: &[&str], text_columns: usize, rows: &[Vec<String>]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let width = |column: usize| {
        rows.iter()
            .map(|row| cell(&row[column]).chars().count())
            .chain([head[column].chars().count(), 3])
            .max()
            .unwrap_or(3)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<String>| {
        let padded: Vec<String> = cells
            .iter()
            .enumerate()
            .map(|(column, text)| {
                let space = " ".repeat(widths[column].saturating_sub(text.chars().count()));
                if column < text_columns { format!("{text}{space}") } else { format!("{space}{text}") }
            })
            .collect();
        format!("| {} |\n", padded.join(" | "))
    };
    let mut text = line(head.iter().map(|name| (*name).to_owned()).collect());
    let rules = (0..head.len()).map(|column| {
        let dashes = "-".repeat(widths[column] - 1);
        if column < text_columns { format!("-{dashes}") } else { format!("{dashes}:") }
    });
    text.push_str(&line(rules.collect()));
    for row in rows {
        text.push_str(&line(row.iter().map(|text| cell(text)).collect()));
    }
    text
}
