// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// rareDevices returns devices that only the node with this index has.
func rareDevices(node, count int) *simulated.Inventory {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("rare-%d-%d", node, i))
	}
	return fixture.Devices(names...)
}

// rareSubRequest returns a subrequest for one of the devices of [rareDevices].
func rareSubRequest(s *simulated.Nodes, node int) devices.SubRequest {
	return withName("rare", fixture.SubRequestFor(s, fmt.Sprintf("rare-%d-", node)))
}
