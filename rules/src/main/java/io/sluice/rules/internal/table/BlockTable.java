package io.sluice.rules.internal.table;

import io.sluice.rules.pattern.Network;
import java.util.Collection;

/**
 * Maps address blocks to numbers, with one lookup for each prefix length that occurs. So a lookup takes at most 33 steps for IPv4 and 129
 * for IPv6, for any number of blocks. Does not change once it is filled.
 */
public final class BlockTable {

    private final TextTable texts;
    private final LengthTable placesOfV4;
    private final LengthTable placesOfV6;

    public BlockTable(TextTable texts) {
        this.texts = texts;
        this.placesOfV4 = new LengthTable(texts);
        this.placesOfV6 = new LengthTable(texts);
    }

    /** Creates a table for {@link #has}. */
    public static BlockTable of(Collection<Network> networks) {
        BlockTable table = new BlockTable(SharedTables.forKeys(networks.size()).texts());
        networks.forEach(network -> table.put(network, 0));
        return table;
    }

    public void put(Network network, int value) {
        byte[] address = network.address();
        int length = network.prefixLength();
        texts.put(places(address).of(length), prefix(address, length), value);
    }

    /** Returns whether a block contains this address of 4 or 16 bytes. */
    public boolean has(byte[] address) {
        LengthTable places = places(address);
        for (int i = 0; i < places.size(); i++) {
            if (texts.get(places.place(i), prefix(address, places.number(i))) != TextTable.NONE) {
                return true;
            }
        }
        return false;
    }

    public void ask(byte[] address, LookupBatch questions) {
        LengthTable places = places(address);
        for (int i = 0; i < places.size(); i++) {
            questions.ask(places.place(i), prefix(address, places.number(i)));
        }
    }

    private LengthTable places(byte[] address) {
        return address.length == 4 ? placesOfV4 : placesOfV6;
    }

    /** Returns the first bits of an address, 16 per character, padded with zeros. */
    private static String prefix(byte[] address, int length) {
        char[] prefix = new char[(length + Character.SIZE - 1) / Character.SIZE];
        for (int i = 0; i < prefix.length; i++) {
            int rest = Math.min(Character.SIZE, length - i * Character.SIZE);
            int bits = (address[2 * i] & 0xff) << Byte.SIZE | (address[2 * i + 1] & 0xff);
            prefix[i] = (char) (bits & (-1 << (Character.SIZE - rest)));
        }
        return new String(prefix);
    }
}
