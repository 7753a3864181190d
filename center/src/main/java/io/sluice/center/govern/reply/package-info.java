/** The bodies of replies about rules. Names become lower case with underscores in JSON. */
@NullMarked
package io.sluice.center.govern.reply;

import org.jspecify.annotations.NullMarked;
