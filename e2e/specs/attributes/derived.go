// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
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

// derive derives an attribute by an expression, see expression.
func derive(sim *simulated.Nodes, name resourceapi.FullyQualifiedName, text string) []resourceapi.DeviceDerivedAttribute {
	return []resourceapi.DeviceDerivedAttribute{{Name: name, Expression: expression(sim, text)}}
}

// chosenFor creates a pod with a claim and returns the names of the devices that it gets.
func chosenFor(ctx context.Context, e *env.Env, pod string, claim resourceapi.DeviceClaim) []string {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaim(ctx, e, pod, claim)
	var names []string
	for _, device := range pods.WaitForScheduled(ctx, e, pod) {
		names = append(names, device.Device)
	}
	return names
}
