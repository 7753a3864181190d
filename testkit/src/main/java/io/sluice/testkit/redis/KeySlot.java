package io.sluice.testkit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The slot of a key in Redis Cluster: CRC16 (XMODEM) of the key, or of the text within its first braces. */
final class KeySlot {

    static final int COUNT = 16_384;

    private KeySlot() {}

    static int of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        int open = indexOf(bytes, '{', 0);
        int close = open < 0 ? -1 : indexOf(bytes, '}', open + 1);
        byte[] hashed = close > open + 1 ? Arrays.copyOfRange(bytes, open + 1, close) : bytes;
        return crc16(hashed) % COUNT;
    }

    private static int indexOf(byte[] bytes, char wanted, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte next : bytes) {
            crc ^= (next & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
            }
            crc &= 0xffff;
        }
        return crc;
    }
}
