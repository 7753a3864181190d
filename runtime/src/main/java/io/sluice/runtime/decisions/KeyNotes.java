package io.sluice.runtime.decisions;

import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.pattern.Attributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Remembers in a file since when hashes are made with the same key, so that an erasure can tell which files it cannot search. The note
 * has a hash of a fixed text, which does not tell the key.
 */
public final class KeyNotes {

    private static final Pattern FORM = Pattern.compile("([0-9A-Za-z_-]{43}) ([0-9]{1,15})\n");
    private static final int MOST_BYTES = 100;

    private KeyNotes() {}

    /** Returns a text that differs if the key does. */
    public static String mark(KeySettings keys) {
        return keys.keys()
                .keyedHash(
                        List.of(By.attribute("decisions")),
                        AbsentPolicy.SHARE,
                        Attributes.of(Map.of("decisions", "of this key")));
    }

    /** Returns since when this key has been in use, in seconds since 1970. Writes a new note if the key is another one. */
    public static long since(FileChannel file, String mark, long nowSeconds) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(MOST_BYTES);
        while (content.hasRemaining() && file.read(content, content.position()) >= 0) {
            // Reads on.
        }
        Matcher note = FORM.matcher(new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII));
        if (note.matches() && note.group(1).equals(mark)) {
            return Long.parseLong(note.group(2));
        }
        file.truncate(0);
        ByteBuffer text = ByteBuffer.wrap((mark + " " + nowSeconds + "\n").getBytes(StandardCharsets.US_ASCII));
        while (text.hasRemaining()) {
            int unused = file.write(text, text.position());
        }
        return nowSeconds;
    }
}
