package io.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import picocli.CommandLine;

/**
 * A command that ended, run in this process.
 *
 * @param code the exit code
 */
record CommandRun(int code, String out, String err) {

    static CommandRun of(Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setDefaultValueProvider(new Surroundings(Map.of(), new Properties()));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        int code = line.execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** Fails unless the command succeeded. */
    CommandRun good() {
        if (code != 0) {
            throw new AssertionError("exit " + code + ": " + out + err);
        }
        return this;
    }
}
