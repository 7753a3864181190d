package io.sluice.runtime.fleet;

import io.sluice.rules.yaml.PrintableText;
import io.sluice.runtime.fleet.NodeReport.Kind;
import java.util.regex.Pattern;

/**
 * The process that reports.
 *
 * @param node the id of the process, which stays the same after a restart
 * @param name the name for people: host and port, or the name of the application
 * @param program the version of Sluice
 * @param startedMillis when the process started, in milliseconds since 1970
 */
public record NodeIdentity(String node, Kind kind, String name, String program, long startedMillis) {

    private static final Pattern ID = Pattern.compile("(?!\\.+$)[0-9a-zA-Z._:-]{1,128}");

    public NodeIdentity {
        if (!isId(node)) {
            throw new IllegalArgumentException("node: " + PrintableText.text(node)
                    + " (expected: letters, digits, - _ . and :, at most 128 characters)");
        }
        name = ReportText.cut(name);
        program = ReportText.cut(program);
        ReportText.checkMillis("started", startedMillis);
    }

    /** Returns whether a text can be the id of a process. It is a part of keys and URLs. */
    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }
}
