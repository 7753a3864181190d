package io.sluice.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces {@code System.err}: logs each line as a warning, so that code that prints does not wait for the reader of standard error. A line
 * above {@value #LONGEST} bytes is logged in pieces. Thread-safe.
 */
final class ErrorLines extends OutputStream {

    static final int LONGEST = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger("System.err");

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
        if (b == '\n') {
            end();
        } else if (b != '\r') {
            line.write(b);
            if (line.size() == LONGEST) {
                end();
            }
        }
    }

    private void end() {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (!text.isBlank()) {
            LOG.warn("{}", text);
        }
    }
}
