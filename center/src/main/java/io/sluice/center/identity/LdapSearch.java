package io.sluice.center.identity;

import io.sluice.center.remote.Conversation;
import java.util.ArrayList;
import java.util.List;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.PartialResultException;
import javax.naming.SizeLimitExceededException;
import javax.naming.directory.Attribute;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import org.springframework.ldap.core.ContextSource;
import org.springframework.ldap.core.DirContextAdapter;
import org.springframework.ldap.core.DirContextOperations;
import org.springframework.ldap.core.LdapTemplate;
import org.springframework.ldap.support.LdapUtils;

/**
 * A search below an entry of a directory. The client libraries collect everything that a server sends, and a server need not
 * respect the limit in the request. So entries and values are counted here.
 *
 * @param filter the filter with {@code {0}} and so on for the arguments, which are escaped
 */
@SuppressWarnings("BanJNDI") // the values of an entry stay texts and bytes, no object is made of them
record LdapSearch(ContextSource source, String base, String filter) {

    /** Returns the matching entries with some of their attributes. */
    List<DirContextOperations> entries(List<String> arguments, String... attributes) {
        SearchControls controls =
                new SearchControls(SearchControls.SUBTREE_SCOPE, Conversation.MAX_ENTRIES, 0, attributes, false, false);
        return new LdapTemplate(source).executeReadOnly(context -> {
            List<DirContextOperations> found = new ArrayList<>();
            NamingEnumeration<SearchResult> results =
                    context.search(LdapUtils.newLdapName(base), filter, arguments.toArray(), controls);
            try {
                while (results.hasMore()) {
                    if (found.size() == Conversation.MAX_ENTRIES) {
                        throw tooMany("entries");
                    }
                    SearchResult result = results.next();
                    found.add(new DirContextAdapter(
                            result.getAttributes(), LdapUtils.newLdapName(result.getNameInNamespace())));
                }
            } catch (PartialResultException e) {
                // The other entries are on another server.
            } finally {
                results.close();
            }
            return found;
        });
    }

    /** Returns the texts of an attribute of all matching entries. */
    List<String> values(List<String> arguments, String attribute) {
        List<String> values = new ArrayList<>();
        for (DirContextOperations entry : entries(arguments, attribute)) {
            Attribute all = entry.getAttributes().get(attribute);
            for (int i = 0; all != null && i < all.size(); i++) {
                if (values.size() == Conversation.MAX_ENTRIES) {
                    throw LdapUtils.convertLdapException(tooMany("values"));
                }
                if (value(all, i) instanceof String text) {
                    values.add(text);
                }
            }
        }
        return values;
    }

    private static Object value(Attribute attribute, int index) {
        try {
            return attribute.get(index);
        } catch (NamingException e) {
            throw LdapUtils.convertLdapException(e);
        }
    }

    private static NamingException tooMany(String what) {
        return new SizeLimitExceededException("more than " + Conversation.MAX_ENTRIES + " " + what);
    }
}
