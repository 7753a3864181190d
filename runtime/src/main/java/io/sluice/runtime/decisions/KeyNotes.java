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
 * Remembers in a file the time since which hashes are made with the same key, so that an erasure can report which files it cannot search.
 * The note has a hash of a fixed text, which does not reveal the key.
 */
public final class KeyNotes {

    private static final Pattern FORM = Pattern.compile("([0-9A-Za-z_-]{43}) ([0-9]{1,15})\n");
    private static final int MOST_BYTES = 100;

    private KeyNotes() {}

    /** Returns a text that is different for each key. */
    public static String mark(KeySettings keys) {
        return keys.keys()
                .keyedHash(
                        List.of(By.attribute("decisions")),
                        AbsentPolicy.SHARE,
                        Attributes.of(Map.of("decisions", "of this key")));
    }

    /** Returns the time since which this key has been in use, in seconds since 1970. Writes a new note if the key has changed. */
    public static long since(FileChannel file, String mark, long nowSeconds) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(MOST_BYTES);
        while (content.hasRemaining() && file.read(content, content.position()) >= 0) {
            // Keeps reading until the buffer is full or the file ends.
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
