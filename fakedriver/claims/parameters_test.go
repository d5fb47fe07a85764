// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"testing"

	. "github.com/onsi/gomega"
)

// A claim with parameters that the driver does not know holds nothing, so that another claim
// gets its devices. Parameters without an API group, and those of other drivers, say nothing
// about that.
func TestPrepareRefusesUnknownParameters(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	unknown := withConfig(newClaim("unknown", small0, small1), fromClaim, driver, `{"apiVersion": "unknown.example.com/v1", "kind": "Unknown"}`, "for-"+small1)
	_, err := store.Prepare(t.Context(), unknown)
	g.Expect(err).To(MatchError(ContainSubstring("decode parameters FromClaim: API group unknown.example.com is not known")))
	for _, parameters := range []string{`{}`, `{"apiVersion": "v1"}`, `{"apiVersion": "mig.draconform.dev/v1", "kind": "Settings"}`} {
		claim := withConfig(newClaim("known", small0, small1), fromClaim, driver, parameters)
		claim = withConfig(claim, fromClaim, "other.example.com", `{"apiVersion": "unknown.example.com/v1"}`)
		_, err := store.Prepare(t.Context(), claim)
		g.Expect(err).NotTo(HaveOccurred(), parameters)
		g.Expect(store.Unprepare(t.Context(), claim.UID)).To(Succeed())
	}
}
