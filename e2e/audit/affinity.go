// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/internal/rules"
)

// checkAffinity returns a finding for each device whose holders state different
// affinity values, or none.
func (inv *Inventory) checkAffinity(held holders) []finding {
	var found []finding
	for _, id := range held.devices() {
		device := inv.devices[id]
		report := func(about, format string, args ...any) {
			var causes [][]string
			for _, name := range held.names(id) {
				causes = append(causes, []string{name})
			}
			found = append(found, finding{AffinityValuesMeet, about, causes, poolOfDevice(id), fmt.Sprintf(format, args...)})
		}
		if err := device.affinityErr; err != nil {
			report(id.String(), "device %s is allocated, but the keys of its sharing affinity are not known: %v", id, err)
		}
		for _, key := range device.affinity.AttributeKeys {
			var statements []rules.Statement
			var stated []string
			for _, h := range held[id] {
				s := rules.StatementOf(h.claim.Status.Allocation.Devices.Config, h.result.Request)
				statements = append(statements, s)
				stated = append(stated, nameOf(h.claim)+" states "+statedValue(s, key))
			}
			if (rules.AffinityDeclaration{AttributeKeys: []string{key}}).Agree(statements) != nil {
				report(id.String()+" "+key, "device %s is only for claims that state the same value for %s, but %s", id, key, strings.Join(stated, ", "))
			}
		}
	}
	return found
}

// statedValue returns the quoted affinity value for a key, or the word nothing if no
// single string is stated.
func statedValue(s rules.Statement, key string) string {
	value, err := s.Value(key)
	if err != nil {
		return "nothing"
	}
	return fmt.Sprintf("%q", value)
}
