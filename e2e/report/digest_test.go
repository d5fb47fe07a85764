// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
)

func digest(t *testing.T, content string) string {
	t.Helper()
	d, err := report.Digest([]byte(content))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return d
}

// The digest is that of the JSON, so that other programs can compute it.
func TestDigestIsThatOfTheJSON(t *testing.T) {
	// printf '{"a":[1,2.5,"<é>"],"b":{"c":true,"d":null}}' | sha256sum
	const want = "sha256:5457747a7a6fe33b697d386069bdef9da62974d263482ed2c35f887a29861bb6"
	NewWithT(t).Expect(digest(t, "digest: other\nb: {d: null, c: true}\na: [1, 2.5, '<é>']\n")).To(Equal(want))
}

// Only the content counts, and all of it does.
func TestDigestFollowsContent(t *testing.T) {
	g := NewWithT(t)
	want := digest(t, small)
	for name, content := range map[string]string{
		"a comment":       "# A comment.\n" + small,
		"line ends":       strings.ReplaceAll(small, "\n", "\r\n"),
		"its own value":   "digest: sha256:0\n" + small,
		"order of fields": strings.Replace(small, "{provider: kind, name: c,", "{name: c, provider: kind,", 1),
		"quotes":          strings.Replace(small, "provider: kind", `provider: "kind"`, 1),
	} {
		g.Expect(content).NotTo(Equal(small), name)
		g.Expect(digest(t, content)).To(Equal(want), name)
	}
	for name, content := range map[string]string{
		"an outcome":        strings.Replace(small, "outcome: passed", "outcome: failed", 1),
		"a number":          strings.Replace(small, "workers: 1", "workers: 2", 1),
		"an unknown field":  small + "future: true\n",
		"an order of specs": strings.NewReplacer("id: one", "id: two", "id: two", "id: one").Replace(small),
	} {
		g.Expect(content).NotTo(Equal(small), name)
		g.Expect(digest(t, content)).NotTo(Equal(want), name)
	}
}

func TestDigestErrors(t *testing.T) {
	for name, content := range map[string]string{"no YAML": "a: [", "a list": "[]", "a key twice": "a: 1\na: 2", "no number in JSON": "a: .nan"} {
		_, err := report.Digest([]byte(content))
		NewWithT(t).Expect(err).To(MatchError(HavePrefix("compute the digest of a report: ")), name)
	}
}

// A report that is written has the digest of its content, whatever digest it
// had before.
func TestWriteDigest(t *testing.T) {
	g := NewWithT(t)
	first, err := report.Decode("", []byte(small))
	g.Expect(err).NotTo(HaveOccurred())
	first.Digest = "sha256:old"
	path, err := first.Write(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	read, err := report.Read(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Digest).To(Equal(digest(t, string(content))))
	again, err := read.Write(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.ReadFile(again)).To(Equal(content))
}

// Invalid content is an error and no panic. What can be decoded has a digest.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("kind: Report\napiVersion: draconform.dev/v1alpha1\nspecs: [{after: 1e400}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("? {a: b}\n: 2024-01-01"))
	f.Add([]byte("subject: {implementations: [{driver: d, mode: m, contact: [c]}]}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		_, decodeErr := report.Decode("report.yaml", content)
		_, digestErr := report.Digest(content)
		if decodeErr == nil && digestErr != nil {
			t.Errorf("decoded, but without digest: %v", digestErr)
		}
	})
}
