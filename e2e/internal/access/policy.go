// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// AuditPolicy returns an audit policy of an API server whose log has what
// [ReadAuditLog] reads: the metadata of each request of some users, once.
func AuditPolicy(users ...string) ([]byte, error) {
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
		// The other stages of a request have the same metadata.
		"omitStages": []string{"RequestReceived", "ResponseStarted", "Panic"},
		"rules":      []map[string]any{{"level": "Metadata", "users": users}, {"level": "None"}},
	})
	if err != nil {
		return nil, fmt.Errorf("render the audit policy: %w", err)
	}
	return content, nil
}
