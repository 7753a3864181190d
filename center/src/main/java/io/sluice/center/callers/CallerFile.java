package io.sluice.center.callers;

import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;
import io.sluice.runtime.data.RefusedMinute;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * The content of the file of one minute or hour.
 *
 * @param position the journal position of the last batch that the file contains
 * @param dropped the number of refusals that are missing because there was no room for their groups
 * @param content the refused callers; in the file of an hour, {@code minute} is the number of the hour
 */
record CallerFile(long position, long dropped, RefusedMinute content) {

    private static final int VERSION = 1;
    private static final int SUM_BYTES = Long.BYTES;

    /** A file from which callers were removed, and the number of removed callers. */
    record Erased(CallerFile file, int removed) {}

    /** Returns the same file without some callers. */
    Erased without(Set<String> hashes) {
        List<RefusedMinute.Group> groups = new ArrayList<>();
        int removed = 0;
        for (RefusedMinute.Group each : content.groups()) {
            if (hashes.stream()
                    .noneMatch(hash -> OneCaller.isAnywhereIn(each.frequent(), hash)
                            || OneCaller.isAnywhereIn(each.distinct(), hash))) {
                groups.add(each);
                continue;
            }
            CallerGroup group = CallerGroup.of(each);
            removed += group.erase(hashes);
            groups.add(group.pack(GroupName.of(each)));
        }
        List<RefusedMinute.Tenant> tenants = content.tenants().stream()
                .filter(each -> !hashes.contains(each.tenant().hash()))
                .toList();
        removed += content.tenants().size() - tenants.size();
        return new Erased(
                new CallerFile(position, dropped, new RefusedMinute(content.minute(), groups, tenants)), removed);
    }

    byte[] toBytes() {
        byte[] body = new PackWriter()
                .number(VERSION)
                .number(position)
                .number(dropped)
                .bytes(content.toBytes())
                .toBytes();
        return ByteBuffer.allocate(body.length + SUM_BYTES)
                .put(body)
                .putLong(sum(body, body.length))
                .array();
    }

    /** Reads the result of {@link #toBytes}. Throws {@link IllegalArgumentException} for any other bytes. */
    static CallerFile of(byte[] bytes) {
        int length = bytes.length - SUM_BYTES;
        if (length < 1 || ByteBuffer.wrap(bytes).getLong(length) != sum(bytes, length)) {
            throw new IllegalArgumentException("file: damaged (expected: what this version of Sluice writes)");
        }
        PackReader pack = new PackReader(bytes);
        long version = pack.number();
        if (version != VERSION) {
            throw new IllegalArgumentException("file: of version " + version + " (expected: " + VERSION + ")");
        }
        return new CallerFile(pack.number(), pack.number(), RefusedMinute.of(pack.bytes()));
    }

    private static long sum(byte[] bytes, int length) {
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, length);
        return sum.getValue();
    }
}
