package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both directions of RESP as a proxy sees them, cut into pieces of every size. */
final class RespStreamsTest {

    private static final String SENT = "*1\r\n$4\r\nPING\r\n*3\r\n$5\r\nfCALL\r\n$3\r\n*1\r\r\n$0\r\n\r\n"
            + "*0\r\n\r\nECHO a b\r\nfcall 1\r\n*-1\r\n*2\r\n$70\r\n" + "n".repeat(70) + "\r\n$4\r\nFCAL\r\nquit\r\n";

    private static final List<String> REPLIES = List.of(
            "+OK\r\n",
            "-ERR 1 2\r\n",
            ":-12\r\n",
            "$-1\r\n",
            "$0\r\n\r\n",
            "$5\r\n+1\r\n2\r\n",
            "*-1\r\n",
            "*0\r\n",
            "*3\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n#t\r\n",
            ">2\r\n+message\r\n*1\r\n:1\r\n",
            "%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n,1.5\r\n",
            "|1\r\n+ttl\r\n:3\r\n*1\r\n(12345678901234567890123456789\r\n",
            "=7\r\ntxt:abc\r\n",
            "!3\r\nERR\r\n");

    @Test
    void swallowsCommandsByNameAndPassesTheRestAsItWas() throws Exception {
        String passed = SENT.replace("*3\r\n$5\r\nfCALL\r\n$3\r\n*1\r\r\n$0\r\n\r\n", "")
                .replace("fcall 1\r\n", "");
        for (int size = 1; size <= SENT.length(); size++) {
            Names names = new Names("FCALL");
            assertThat(passedOn(SENT, size, new CommandStream(names))).isEqualTo(passed);
            assertThat(names.seen).containsExactly("PING", "FCALL", "ECHO", "FCALL", "", "QUIT");
            assertThat(names.swallowed).isEqualTo(2);
        }
    }

    @Test
    void passesNonRespBytesUnchanged() throws Exception {
        for (String foreign : List.of(
                "\u0016\u0003\u0001\u0002*1\r\n$5\r\nFCALL\r\n",
                "*x\r\n$5\r\nFCALL\r\nFCALL\r\n",
                "*1\r\n:5\r\nFCALL\r\n",
                "*" + "1".repeat(100) + "\r\nFCALL\r\n")) {
            for (int size = 1; size <= foreign.length(); size++) {
                assertThat(passedOn(foreign, size, new CommandStream(new Names("FCALL"))))
                        .isEqualTo(foreign);
            }
        }
    }

    @Test
    void findsTheEndsOfReplies() {
        String all = String.join("", REPLIES);
        byte[] bytes = all.getBytes(StandardCharsets.ISO_8859_1);
        for (int size = 1; size <= bytes.length; size++) {
            ReplyStream replies = new ReplyStream();
            List<String> found = new ArrayList<>();
            int begun = 0;
            int pushes = 0;
            for (int from = 0; from < bytes.length; from += size) {
                int to = Math.min(bytes.length, from + size);
                for (int at = from; at < to; ) {
                    at = replies.advance(bytes, at, to);
                    if (!replies.inside()) {
                        found.add(all.substring(begun, at));
                        begun = at;
                        pushes += replies.push() ? 1 : 0;
                    }
                }
            }
            assertThat(found).isEqualTo(REPLIES);
            assertThat(pushes).isEqualTo(1);
        }
    }

    private static String passedOn(String sent, int size, CommandStream commands) throws InterruptedException {
        byte[] bytes = sent.getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        for (int from = 0; from < bytes.length; from += size) {
            byte[] piece = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size));
            passed.writeBytes(commands.feed(piece, piece.length));
        }
        return passed.toString(StandardCharsets.ISO_8859_1);
    }

    private static final class Names implements CommandStream.Judge {

        private final String refused;
        private final List<String> seen = new ArrayList<>();
        private int swallowed;

        Names(String refused) {
            this.refused = refused;
        }

        @Override
        public boolean passes(String name) {
            seen.add(name);
            return !name.equals(refused);
        }

        @Override
        public void swallowed() {
            swallowed++;
        }
    }
}
