// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// The metrics are those of a kubelet of Kubernetes 1.37, shortened.
const kubeletMetrics = `# HELP dra_resource_claims_in_use [ALPHA] The number of ResourceClaims that are currently in use on the node
# TYPE dra_resource_claims_in_use gauge
dra_resource_claims_in_use{driver_name="<any>"} 3
dra_resource_claims_in_use{driver_name="gpu.example.com"} 2
`

const kubeletStart = `# HELP process_start_time_seconds [ALPHA] Start time of the process since unix epoch in seconds.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.79599680025e+09
`

func TestCountClaims(t *testing.T) {
	g := NewWithT(t)
	now := time.Now()
	started := time.UnixMilli(1795996800250)
	g.Expect(countClaims([]byte(kubeletMetrics+kubeletStart), "gpu.example.com", now)).To(Equal(operations.ClaimsCount{Claims: 2, Since: started}))
	g.Expect(countClaims([]byte(kubeletMetrics+kubeletStart), "nic.example.com", now)).To(Equal(operations.ClaimsCount{Since: started}), "the kubelet lists drivers with claims")
	g.Expect(countClaims([]byte(kubeletMetrics), "gpu.example.com", now)).To(Equal(operations.ClaimsCount{Claims: 2, Since: now}), "any kubelet may just have been restarted")
	_, err := countClaims([]byte(kubeletStart), "gpu.example.com", now)
	g.Expect(err).To(MatchError(operations.ErrNotKnown))
}
