// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// WaitForKubeletClaims waits until the kubelet of a node has exactly the given
// claims of the spec's namespace in its checkpoint. It returns the devices that
// the driver returned to the kubelet.
func WaitForKubeletClaims(ctx context.Context, e *env.Env, p Plugin, want ...Claim) Answers {
	ginkgo.GinkgoHelper()
	ginkgo.By("reading the checkpoint of the kubelet of node " + p.Node)
	var answers Answers
	gomega.Eventually(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		stored, err := e.Agent.KubeletClaims(ctx, p.Node)
		if err != nil {
			return err
		}
		answers = Answers{}
		for _, claim := range stored {
			if claim.Namespace == e.Namespace {
				answers[claim.UID] = sorted(claim.Drivers[p.Driver])
			}
		}
		for _, claim := range want {
			if _, ok := answers[claim.UID]; !ok {
				return fmt.Errorf("the checkpoint lacks claim %s: it has %v", claim.Name, stored)
			}
		}
		if len(answers) != len(want) {
			return fmt.Errorf("the checkpoint has other claims: %v", stored)
		}
		return nil
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "the kubelet of node %s should have stored the claims of running pods, %s, and no others", p.Node, names(references(want)))
	return answers
}

// ExpectHealthOfOfferedDevices asserts that a driver reports the health of each
// device at most once, at a time that is not in the future, and that the devices that it reports
// as healthy are offered, or were before a device was used. Drivers need not report health, and may
// report about devices that they no longer offer, because they are not healthy or cannot
// be used together with one in use.
func ExpectHealthOfOfferedDevices(ctx context.Context, e *env.Env, p Plugin, before *audit.Inventory) {
	ginkgo.GinkgoHelper()
	ginkgo.By("reading the health that " + p.String() + " reports")
	gomega.Eventually(ctx, func(ctx context.Context) error {
		report, err := e.Agent.Health(ctx, p.Node, operations.HealthRequest{Driver: p.Driver, Timeout: healthTimeout})
		switch {
		case err != nil:
			return err
		case report.Service == "" || slices.Contains(withoutReport, report.Code):
			return nil
		case report.Code != "":
			return fmt.Errorf("the call of %s ended with %s: %s", report.Service, report.Code, report.Message)
		}
		inventory, err := devices.GetInventory(ctx, e)
		if err != nil {
			return err
		}
		return checkHealth(report, func(pool, device string) bool {
			id := audit.DeviceID{Driver: p.Driver, Pool: pool, Device: device}
			_, isOffered := inventory.Device(id)
			_, wasOffered := before.Device(id)
			return isOffered || wasOffered
		})
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s should report the health of devices that it offers, each once", p)
}

// withoutReport are the gRPC codes of a driver that does not report health, has
// nothing to report yet, or serves no other stream next to that of the kubelet.
var withoutReport = []string{"Unimplemented", "DeadlineExceeded", "AlreadyExists", "ResourceExhausted"}

// healthTimeout is how long a driver may take for its first report. The kubelet
// treats the health of devices as unknown after that time.
const healthTimeout = 30 * time.Second

// clockDifference is how far the clocks of nodes may be ahead.
const clockDifference = 24 * time.Hour

func checkHealth(report operations.HealthReport, offered func(pool, device string) bool) error {
	seen := map[string]bool{}
	for _, device := range report.Devices {
		key := deviceKey(device.Pool, device.Device, "")
		switch {
		case seen[key]:
			return fmt.Errorf("device %s is in the report twice", key)
		case device.LastUpdated > time.Now().Add(clockDifference).Unix():
			return fmt.Errorf("device %s is reported with the time %d, which is in the future: times are in seconds since 1970", key, device.LastUpdated)
		case device.Health == "HEALTHY" && !offered(device.Pool, device.Device):
			return fmt.Errorf("device %s is reported as healthy, and no ResourceSlice offers it", key)
		}
		seen[key] = true
	}
	return nil
}
