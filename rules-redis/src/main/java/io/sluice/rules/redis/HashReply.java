package io.sluice.rules.redis;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Parses the reply of {@code read.lua}. */
final class HashReply {

    /** The founding form has eleven fields. A few more are listed in the error; a hash with more than this is refused for their number. */
    static final int MOST_FIELDS = 32;

    /** The maximum size of one rule. */
    static final int MOST_BYTES = 256 * 1024;

    private HashReply() {}

    static HashContent content(List<byte[]> reply) {
        String word = latin(reply.get(0));
        return switch (word) {
            case "none" -> new HashContent.Gone();
            case "kind" -> new HashContent.Unusable("type: " + latin(reply.get(1)) + " (expected: a hash)");
            case "fields" ->
                new HashContent.Unusable("fields: " + latin(reply.get(1)) + " (expected: at most " + MOST_FIELDS + ")");
            case "size" ->
                new HashContent.Unusable("size: too large with field \"" + printable(latin(reply.get(1)))
                        + "\" (expected: at most " + MOST_BYTES + " bytes in all)");
            default -> fields(reply);
        };
    }

    private static HashContent fields(List<byte[]> reply) {
        Map<String, String> fields = new HashMap<>();
        try {
            for (int i = 1; i + 1 < reply.size(); i += 2) {
                fields.put(text(reply.get(i)), text(reply.get(i + 1)));
            }
            return new HashContent.Fields(fields);
        } catch (CharacterCodingException e) {
            return new HashContent.Unusable("encoding: not UTF-8 (expected: UTF-8)");
        }
    }

    private static String text(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Makes a name safe to log. Anyone may choose the names of fields. */
    static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
