// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/uuid"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// picked is one chosen device.
type picked struct {
	*search.Pick
	*plan.Alternative
	slice  *pools.Slice
	device *resourceapi.Device
}

// results converts an answer to the allocation results for the status of the claims.
func results(problem *search.Problem, answer *search.Answer, node string) ([]resourceapi.AllocationResult, error) {
	list := make([]resourceapi.AllocationResult, len(problem.Plan.Claims))
	var few [8]picked // Most pods have fewer devices.
	picks := slices.Grow(few[:0], len(answer.Picks))[:len(answer.Picks)]
	for i := range answer.Picks {
		pick := &answer.Picks[i]
		word := &problem.Node.Words[pick.Position/bits.WordSize]
		device := &word.Slice.API.Spec.Devices[word.First+pick.Position%bits.WordSize]
		picks[i] = picked{pick, &problem.Plan.Alternatives[pick.Alternative], word.Slice, device}
	}
	for c := range list {
		end := 0
		for end < len(picks) && picks[end].Claim == c {
			end++
		}
		list[c].Devices.Results = deviceResults(picks[:end], problem.Features.DeviceBindingAndStatus)
		list[c].Devices.Config = configurations(problem.Plan, c, answer.Alternatives)
		selector, err := nodeSelector(picks[:end], node)
		if err != nil {
			return nil, fmt.Errorf("create NodeSelector for claim %s: %w", problem.Plan.Claims[c].API.Name, err)
		}
		list[c].NodeSelector = selector
		picks = picks[end:]
	}
	return list, nil
}

func deviceResults(picks []picked, bindingConditions bool) []resourceapi.DeviceRequestAllocationResult {
	list := make([]resourceapi.DeviceRequestAllocationResult, len(picks))
	for i := range picks {
		p, spec := &picks[i], &picks[i].slice.API.Spec
		list[i] = resourceapi.DeviceRequestAllocationResult{
			Request:            p.Result,
			Driver:             spec.Driver,
			Pool:               spec.Pool.Name,
			Device:             p.device.Name,
			Tolerations:        p.Tolerations,
			SkipNodeOperations: spec.SkipNodeOperations,
		}
		if fault.NamesRequestOnly {
			list[i].Request, _, _ = strings.Cut(p.Result, "/")
		}
		if fault.KeepsNoTolerations {
			list[i].Tolerations = nil
		}
		if p.Admin && !fault.AdminIsNotRecorded {
			list[i].AdminAccess = ptr.To(true)
		}
		if p.Shared {
			list[i].ShareID = ptr.To(newShareID())
		}
		if fault.NumbersSharesAlike && p.Shared && i > 0 && list[i-1].ShareID != nil {
			list[i].ShareID = list[i-1].ShareID
		}
		if p.Use != nil && len(p.Use.Consumed) > 0 {
			list[i].ConsumedCapacity = p.Use.Copy()
		}
		sameRequest := i > 0 && picks[i-1].Alternative == p.Alternative
		if bindingConditions && (!fault.BindsByFirstOfRequest || !sameRequest) && (!fault.BindsUnreadyShares || !p.Shared) && (!fault.BindsUnreadyForAll || !p.All) {
			list[i].BindingConditions = p.device.BindingConditions
			list[i].BindingFailureConditions = p.device.BindingFailureConditions
		}
	}
	if variant.ListsResultsBackwards {
		slices.Reverse(list)
	}
	return list
}

// newShareID returns a random UUID (API: DeviceRequestAllocationResult.ShareID). It must be unique but need not be
// secret, so a random source without system calls suffices.
func newShareID() types.UID {
	var id uuid.UUID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64()) //nolint:gosec // See above.
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64()) //nolint:gosec // See above.
	id[6] = id[6]&0x0f | 0x40                            // Version 4,
	id[8] = id[8]&0x3f | 0x80                            // variant of RFC 9562.
	return types.UID(id.String())
}

// configurations returns the configuration of the classes, followed by the configuration of the claim. The
// configuration of a class appears once for all requests that use the class. The configuration of the claim appears
// if it concerns a request or its chosen subrequest. An entry that concerns all requests names none.
func configurations(p *plan.Plan, claim int, chosen []int) []resourceapi.DeviceAllocationConfiguration {
	var list []resourceapi.DeviceAllocationConfiguration
	requests := p.Requests[p.Claims[claim].First:p.Claims[claim].End]
	first := p.Claims[claim].First
	for i := range requests {
		class := p.Alternatives[chosen[first+i]].Class
		if fault.ConfiguresByFirstClass {
			class = p.Alternatives[requests[i].First].Class
		}
		if fault.ConfiguresByFirstClaim {
			class = p.Alternatives[chosen[i]].Class
		}
		if len(class.Spec.Config) == 0 || usedBefore(p, chosen, first, i, class.Name) {
			continue
		}
		var names []string
		for j := i; j < len(requests); j++ {
			if a := &p.Alternatives[chosen[first+j]]; a.Class.Name == class.Name {
				names = append(names, a.Result)
			}
		}
		for j := range class.Spec.Config {
			list = append(list, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClass, Requests: slices.Clone(names), DeviceConfiguration: class.Spec.Config[j].DeviceConfiguration,
			})
		}
	}
	own := p.Claims[claim].API.Spec.Devices.Config
	if fault.ConfiguresByBeginnings || fault.ConfiguresBySubrequestName {
		own = widened(p, claim, chosen)
	}
	for i := range own {
		if len(own[i].Requests) == 0 || fault.KeepsOtherConfig || slices.ContainsFunc(requests, concerned(p, chosen, own[i].Requests)) {
			list = append(list, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClaim, Requests: own[i].Requests, DeviceConfiguration: own[i].DeviceConfiguration,
			})
		}
	}
	for i := range list {
		if names := list[i].Requests; len(names) > 0 && !slices.ContainsFunc(requests, not(concerned(p, chosen, names))) {
			list[i].Requests = nil
		}
	}
	if variant.ConfiguresRequestsApart {
		var all []string
		for i := range requests {
			all = append(all, p.Alternatives[chosen[first+i]].Result)
		}
		return apart(list, all)
	}
	return list
}

// widened returns the configuration of a claim as faults read it: also for requests whose names begin with one that an
// entry names, or for all chosen subrequests with the name of one that it names.
func widened(p *plan.Plan, claim int, chosen []int) []resourceapi.DeviceClaimConfiguration {
	own := slices.Clone(p.Claims[claim].API.Spec.Devices.Config)
	for i := range own {
		names := own[i].Requests
		for r := p.Claims[claim].First; r < p.Claims[claim].End; r++ {
			a := &p.Alternatives[chosen[r]]
			alike := slices.ContainsFunc(names, func(name string) bool {
				_, sub, _ := strings.Cut(name, "/")
				return fault.ConfiguresByBeginnings && strings.HasPrefix(a.Result, name) || fault.ConfiguresBySubrequestName && sub != "" && sub == a.Name
			})
			if alike && !slices.Contains(names, a.Result) {
				own[i].Requests = append(slices.Clone(own[i].Requests), a.Result)
			}
		}
	}
	return own
}

// apart repeats the entries of classes for each of their requests, unless these are too many entries. all are the
// requests of the claim, for which an entry without requests is.
func apart(list []resourceapi.DeviceAllocationConfiguration, all []string) []resourceapi.DeviceAllocationConfiguration {
	var each []resourceapi.DeviceAllocationConfiguration
	for _, entry := range list {
		if entry.Source != resourceapi.AllocationConfigSourceClass {
			each = append(each, entry)
			continue
		}
		names := entry.Requests
		if len(names) == 0 {
			names = all
		}
		for _, name := range names {
			entry.Requests = []string{name}
			each = append(each, entry)
		}
	}
	const most = 2 * resourceapi.DeviceConfigMaxSize // As many as a class and a claim can have.
	if len(each) > most {
		return list
	}
	return each
}

func usedBefore(p *plan.Plan, chosen []int, first, i int, class string) bool {
	for j := range i {
		if p.Alternatives[chosen[first+j]].Class.Name == class {
			return true
		}
	}
	return false
}

// concerned returns a function that reports whether a request or its chosen subrequest is among the names.
func concerned(p *plan.Plan, chosen []int, names []string) func(plan.Request) bool {
	return func(r plan.Request) bool {
		return slices.Contains(names, r.API.Name) || !fault.LosesOwnConfig && slices.Contains(names, p.Alternatives[chosen[p.Alternatives[r.First].Request]].Result)
	}
}

func not[T any](f func(T) bool) func(T) bool { return func(t T) bool { return !f(t) } }
