package io.sluice.cli.check;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Prints the findings of a document in each round; after the first round, only new findings and fixed findings. A finding that has only
 * moved to another line is not new. Not thread-safe.
 */
final class LintRounds {

    private final BiFunction<String, Style, String> styled;
    private final PrintWriter out;
    private final Map<Path, Round> last = new HashMap<>();

    /** The findings in a document and the last line of their output. */
    private record Round(List<Finding> findings, String summary) {}

    private record Finding(DocumentError error, boolean warning) {

        boolean isSame(Finding other) {
            return warning == other.warning
                    && error.file().equals(other.error.file())
                    && error.message().equals(other.error.message());
        }
    }

    /** @param styled adds a style to a text if the terminal supports styles */
    LintRounds(BiFunction<String, Style, String> styled, PrintWriter out) {
        this.styled = styled;
        this.out = out;
    }

    /** Prints the changes since the last round. */
    void show(Path file, RuleDocument document, List<DocumentError> warnings) {
        List<Finding> findings = new ArrayList<>();
        if (document instanceof Refused refused) {
            refused.errors().forEach(error -> findings.add(new Finding(error, false)));
        }
        warnings.forEach(warning -> findings.add(new Finding(warning, true)));
        Round now = new Round(findings, summary(file, document, warnings.size()));
        Round before = last.put(file, now);
        if (before == null) {
            findings.forEach(finding -> out.println(line(finding)));
            out.println(now.summary);
        } else {
            missing(findings, before.findings).forEach(finding -> out.println(line(finding)));
            missing(before.findings, findings)
                    .forEach(finding -> out.println(styled.apply("fixed: ", Style.fg_green) + finding.error.file()
                            + ": " + finding.error.message()));
            if (!now.summary.equals(before.summary)) {
                out.println(now.summary);
            }
        }
        out.flush();
    }

    /** Returns the findings that the other list lacks. A repeated finding is returned as many times as the other list has too few of it. */
    private static List<Finding> missing(List<Finding> some, List<Finding> others) {
        List<Finding> left = new ArrayList<>(others);
        List<Finding> missing = new ArrayList<>();
        for (Finding each : some) {
            int found = 0;
            while (found < left.size() && !left.get(found).isSame(each)) {
                found++;
            }
            if (found < left.size()) {
                left.remove(found);
            } else {
                missing.add(each);
            }
        }
        return missing;
    }

    private String line(Finding finding) {
        return finding.warning
                ? place(finding.error) + styled.apply("warning: ", Style.fg_yellow) + finding.error.message()
                : place(finding.error) + finding.error.message();
    }

    private String place(DocumentError error) {
        String text = error.toString();
        return styled.apply(text.substring(0, text.length() - error.message().length()), Style.bold);
    }

    private String summary(Path file, RuleDocument document, int warnings) {
        if (document instanceof Accepted accepted) {
            int rules = accepted.rules().size();
            return file + ": " + styled.apply("no errors", Style.fg_green)
                    + (warnings == 0 ? "" : warnings == 1 ? ", 1 warning" : ", " + warnings + " warnings") + ", "
                    + rules
                    + (rules == 1 ? " rule" : " rules");
        }
        int errors = document instanceof Refused refused ? refused.errors().size() : 0;
        return file + ": " + errors + (errors == 1 ? " error" : " errors");
    }
}
