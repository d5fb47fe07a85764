package describe

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

// namespace turns names of a description into admissible ones, and makes sure
// that different names stay different.
type namespace struct {
	// admissible returns the name to publish.
	admissible func(string) string
	// used has, by published name, the name in the description.
	used map[string]entry[string]
}

func newNamespace(admissible func(string) string) *namespace {
	return &namespace{admissible: admissible, used: map[string]entry[string]{}}
}

// publish returns the name to publish for one that is used in a line. It does
// not matter how often the same name is used.
func (n *namespace) publish(name string, line int) (string, error) {
	published := n.admissible(name)
	before, ok := n.used[published]
	if ok && before.name != name {
		return "", fmt.Errorf("its name becomes %q, and so does %q in line %d", published, before.name, before.line)
	}
	if !ok {
		n.used[published] = entry[string]{name: name, line: line}
	}
	return published, nil
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// dnsLabel returns a DNS label: "1g.5gb+me" becomes "1g-5gb-me". Only a name
// without a letter or digit, or one that is too long, has none.
func dnsLabel(name string) string {
	return strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

var notInIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// qualifiedName returns the name of an attribute or a capacity, whose last part
// is a C identifier: "copy-engines" becomes "copyEngines". A domain before it
// stays as it is.
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

// splitDomain returns the domain of a qualified name, with its slash, and the
// rest.
func splitDomain(name string) (domain, id string) {
	i := strings.LastIndex(name, "/") + 1
	return name[:i], name[i:]
}

// counterName returns the name, a DNS label, of the counter for a capacity:
// that of "memorySlice0" is "memory-slice-0". The domain is left out.
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

// beginsWord tells where to divide a C identifier: before "Slice" and "0" in
// "memorySlice0", before "Engines" in "OFAEngines".
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
