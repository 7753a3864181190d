/** The bodies of replies. Names become lower case with underscores in JSON. */
@NullMarked
package io.sluice.center.web.reply;

import org.jspecify.annotations.NullMarked;
