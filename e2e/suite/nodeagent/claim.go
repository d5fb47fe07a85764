// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Claim is an allocated claim.
type Claim struct {
	operations.PluginClaim
	// Results are the allocated devices, of all drivers.
	Results []resourceapi.DeviceRequestAllocationResult
}

// GetClaim returns an allocated claim of the spec.
func GetClaim(ctx context.Context, e *env.Env, name string) Claim {
	ginkgo.GinkgoHelper()
	return Claim{
		PluginClaim: operations.PluginClaim{Namespace: e.Namespace, Name: name, UID: claims.GetUID(ctx, e, name)},
		Results:     claims.GetAllocation(ctx, e, name).Results,
	}
}

// UnknownClaim returns a claim that does not exist and never has.
func UnknownClaim(e *env.Env) operations.PluginClaim {
	return operations.PluginClaim{Namespace: e.Namespace, Name: "never-created", UID: unknownUID}
}

// unknownUID is a UID that no object has.
const unknownUID = "00000000-0000-4000-8000-000000000000"

// WithOtherUID returns a claim with the same name and a UID that no claim has.
func WithOtherUID(claim Claim) operations.PluginClaim {
	other := claim.PluginClaim
	other.UID = unknownUID
	return other
}

// baseRequest returns the request of a request or subrequest.
func baseRequest(name string) string {
	base, _, _ := strings.Cut(name, "/")
	return base
}

// of returns the allocated devices of a driver as an answer describes them,
// without requests and CDI devices.
func (c Claim) of(driver string) map[string]bool {
	all := map[string]bool{}
	for _, result := range c.Results {
		if result.Driver == driver {
			all[deviceKey(result.Pool, result.Device, shareOf(result))] = true
		}
	}
	return all
}

func shareOf(result resourceapi.DeviceRequestAllocationResult) string {
	if result.ShareID == nil {
		return ""
	}
	return string(*result.ShareID)
}

func deviceKey(pool, device, share string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s/%s %s", pool, device, share), " ")
}

// names returns the names of claims for messages.
func names(all []operations.PluginClaim) string {
	var out []string
	for _, claim := range all {
		out = append(out, claim.Name)
	}
	return strings.Join(out, ", ")
}
