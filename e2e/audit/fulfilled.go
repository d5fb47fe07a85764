// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/internal/rules"
)

// Unfulfilled returns how the devices of a claim differ from its requests:
// missing or surplus devices, devices that a request does not select, and
// violated constraints. One subrequest of a request must be satisfied. It does
// not check which of them that is, devices that no slice offers, or the
// selectors of classes.
func (inv *Inventory) Unfulfilled(ctx context.Context, claim *resourceapi.ResourceClaim) []string {
	var found []finding
	found = append(found, checkRequests(claim)...)
	for _, a := range allocatedRequests(claim) {
		for _, id := range a.devices {
			found = append(found, inv.checkSelectors(ctx, SelectorAccepts, "selector of request "+a.Name, "request "+a.Name, a.Selectors, id)...)
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		found = append(found, inv.checkConstraint(ctx, constraint, claim)...)
	}
	return texts(found)
}

// allocatedRequest is a request or subrequest with its devices.
type allocatedRequest struct {
	rules.Alternative
	devices []DeviceID
}

// requestsOf returns the requests of a claim and their subrequests, by the names
// in allocation results.
func requestsOf(claim *resourceapi.ResourceClaim) map[string]rules.Alternative {
	all := map[string]rules.Alternative{}
	for i := range claim.Spec.Devices.Requests {
		for _, a := range rules.Alternatives(&claim.Spec.Devices.Requests[i]) {
			all[a.Name] = a
		}
	}
	return all
}

// allocatedRequests returns the requests and subrequests that have devices, in the order
// of the claim.
func allocatedRequests(claim *resourceapi.ResourceClaim) []allocatedRequest {
	devices := byRequest(claim)
	var all []allocatedRequest
	for i := range claim.Spec.Devices.Requests {
		for _, a := range rules.Alternatives(&claim.Spec.Devices.Requests[i]) {
			if len(devices[a.Name]) > 0 {
				all = append(all, allocatedRequest{a, devices[a.Name]})
			}
		}
	}
	return all
}

func byRequest(claim *resourceapi.ResourceClaim) map[string][]DeviceID {
	devices := map[string][]DeviceID{}
	for _, r := range results(claim) {
		devices[r.Request] = append(devices[r.Request], idOf(r))
	}
	return devices
}

// checkRequests returns requests with too many or too few devices, and devices
// without a request. It ignores requests of unknown kinds.
func checkRequests(claim *resourceapi.ResourceClaim) []finding {
	devices := byRequest(claim)
	var problems []string
	unknown := map[string]bool{}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		alternatives := rules.Alternatives(request)
		if len(alternatives) == 0 {
			unknown[request.Name] = true
		} else if problem := checkCount(request.Name, alternatives, devices); problem != "" {
			problems = append(problems, problem)
		}
	}
	known := requestsOf(claim)
	for _, r := range results(claim) {
		name, _, _ := strings.Cut(r.Request, "/") // It may be that of a subrequest.
		if _, ok := known[r.Request]; !ok && !unknown[name] {
			problems = append(problems, fmt.Sprintf("device %s is for request %s, which the claim does not have", idOf(r), r.Request))
			known[r.Request] = rules.Alternative{} // Report it only once.
		}
	}
	var found []finding
	for _, problem := range problems {
		found = append(found, finding{rule: RequestSatisfied, about: problem, text: problem})
	}
	return found
}

// checkCount returns what is wrong with the number of devices of one request.
func checkCount(request string, alternatives []rules.Alternative, devices map[string][]DeviceID) string {
	has := slices.DeleteFunc(slices.Clone(alternatives), func(a rules.Alternative) bool { return len(devices[a.Name]) == 0 })
	switch {
	case len(has) > 1:
		return fmt.Sprintf("request %s has devices for several of its alternatives: %s and %s", request, has[0].Name, has[1].Name)
	case len(has) == 0 && len(alternatives) != 1:
		return fmt.Sprintf("request %s has no devices for any of its alternatives", request)
	case len(has) == 0:
		has = alternatives
	}
	if hasUnknownMode(has[0]) {
		return ""
	}
	got, want := int64(len(devices[has[0].Name])), max(has[0].Count, 1) // The default is 1.
	switch {
	case has[0].All() && got == 0:
		return fmt.Sprintf("request %s has no devices, not all", has[0].Name)
	case !has[0].All() && got != want:
		return fmt.Sprintf("request %s has %d devices, not %d", has[0].Name, got, want)
	}
	return ""
}

// checkSelectors returns the selectors of a request, or of its class, that do not
// accept a device.
func (inv *Inventory) checkSelectors(ctx context.Context, rule Rule, what, has string, selectors []resourceapi.DeviceSelector, id DeviceID) []finding {
	device, ok := inv.devices[id]
	if !ok {
		return nil
	}
	var found []finding
	for _, selector := range selectors {
		text := ""
		switch matches, err := accepts(ctx, selector, device.of(id.Driver)); {
		case errors.Is(err, errUnknown):
			continue
		case err != nil:
			text = fmt.Sprintf("%s on device %s: %v", what, id, err)
		case !matches:
			text = fmt.Sprintf("%s has device %s, which its selector does not accept: %s", has, id, selector.CEL.Expression)
		default:
			continue
		}
		found = append(found, finding{rule: rule, about: what + " on " + id.String(), dependsOn: poolOfDevice(id), text: text})
	}
	return found
}

// compile compiles an expression that an API server has accepted. It may use any
// feature, as the API server compiles an expression that is stored.
func compile(expression string, options cel.Options) cel.CompilationResult {
	options.DisableCostEstimation = true
	return cel.GetCompiler(cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}).CompileCELExpression(expression, options)
}
