// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

// namespace converts names of a description into names that the API accepts. It
// rejects different names that become the same name.
type namespace struct {
	// convert converts a name into a name that the API accepts.
	convert func(string) string
	// used maps a published name to the name in the description.
	used map[string]writtenName
}

// writtenName is a name in the description and the line where it is first used.
type writtenName struct {
	name string
	line int
}

func newNamespace(convert func(string) string) *namespace {
	return &namespace{convert: convert, used: map[string]writtenName{}}
}

// publish returns the published name for a name that is used in the given line.
// The same name may be published any number of times.
func (n *namespace) publish(name string, line int) (string, error) {
	published := n.convert(name)
	before, ok := n.used[published]
	if ok && before.name != name {
		return "", fmt.Errorf("its name becomes %q, and so does %q in line %d", published, before.name, before.line)
	}
	if !ok {
		n.used[published] = writtenName{name, line}
	}
	return published, nil
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// dnsLabel converts a name into a DNS label: "1g.5gb+me" becomes "1g-5gb-me".
// The result is not a DNS label if the name contains no letter or digit or is
// too long.
func dnsLabel(name string) string {
	return strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

var notInIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// qualifiedName converts the name of an attribute or a capacity, whose last
// part must be a C identifier: "copy-engines" becomes "copyEngines". A domain
// prefix is kept unchanged.
func qualifiedName(name string) string {
	domain, id := splitDomain(name)
	if len(validation.IsCIdentifier(id)) == 0 {
		return name
	}
	words := notInIdentifier.Split(id, -1)
	for i, word := range words {
		if i > 0 && word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return domain + strings.Join(words, "")
}

// splitDomain returns the domain of a qualified name, including the slash, and
// the rest.
func splitDomain(name string) (domain, id string) {
	i := strings.LastIndex(name, "/") + 1
	return name[:i], name[i:]
}

// counterName returns the name of the counter for a capacity, a DNS label. The
// counter for "memorySlice0" is "memory-slice-0". The domain is omitted.
func counterName(capacity string) string {
	_, id := splitDomain(capacity)
	runes := []rune(id)
	var name strings.Builder
	for i, r := range runes {
		if i > 0 && beginsWord(runes[i-1], r, runes[i+1:]) {
			name.WriteByte('-')
		}
		name.WriteRune(r)
	}
	return dnsLabel(name.String())
}

// beginsWord reports whether a word of a C identifier begins at r: "Slice" and
// "0" in "memorySlice0", "Engines" in "OFAEngines".
func beginsWord(before, r rune, after []rune) bool {
	switch {
	case unicode.IsUpper(r):
		endOfAcronym := unicode.IsUpper(before) && len(after) > 0 && unicode.IsLower(after[0])
		return !unicode.IsUpper(before) || endOfAcronym
	case unicode.IsDigit(r):
		return unicode.IsLetter(before)
	default:
		return false
	}
}
