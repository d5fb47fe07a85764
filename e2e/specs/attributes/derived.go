// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/simulated"
)

// derived is the name of a derived attribute. It is not in the domain of a
// driver.
const derived resourceapi.FullyQualifiedName = "draconform.dev/derived"

// expression returns a CEL expression in which the word DEVICE stands for the
// attributes of the device in the domain of its driver.
func expression(sim *simulated.Nodes, text string) string {
	return strings.ReplaceAll(text, "DEVICE", fmt.Sprintf("device.attributes[%q]", sim.Driver))
}
