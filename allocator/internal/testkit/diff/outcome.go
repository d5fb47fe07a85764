// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Class is the kind of result of an allocation.
type Class string

// The classes. A class of errors is named after a part of its message.
const (
	Fit      Class = "fit"
	NoFit    Class = "no fit"
	TimedOut Class = "timed out"
)

// errorClasses are parts of error messages. The first one that an error
// contains is its class.
var errorClasses = []Class{
	"gather pool information",
	"has subrequests, but the DRAPrioritizedList feature is disabled",
	"has capacity requests, but the DRAConsumableCapacity feature is disabled",
	"cannot handle request with derived attributes, the feature is disabled",
	"CEL expression empty (unsupported selector type?)",
	"admin access is requested, but the feature is disabled",
	"missing device class name (unsupported request type?)",
	"could not retrieve device class",
	"is too large",
	"is currently being updated",
	"is currently invalid",
	"unsupported count mode",
	"exceeds the claim limit of",
	"empty constraint (unsupported constraint type?)",
	"CEL compile error",
	"CEL runtime error",
	"capacity request cannot be represented in the device's range arithmetic",
	"capacity value is negative",
	"because a claim constraint would not be satisfied",
	"compile derived attribute",
	"evaluate derived attribute",
	"invalid resource pools were encountered",
	"unsupported ResourceSlice.NodeSelector with",
}

// Outcome is the result of an allocation.
type Outcome struct {
	Class   Class
	Results []resourceapi.AllocationResult // if it is a fit
	Err     error                          // if it failed or timed out
}

// OnNodeOnly reports whether an error affects only this node, so that a
// scheduler continues with other nodes.
func (o Outcome) OnNodeOnly() bool {
	return errors.Is(o.Err, structured.ErrFailedAllocationOnNode)
}

// Run allocates the claims of the problem with a new allocator.
func Run(ctx context.Context, impl Implementation, p *problem.Problem, node *corev1.Node) Outcome {
	allocator, err := New(ctx, impl, p)
	if err != nil {
		return outcome(nil, err)
	}
	return Allocate(ctx, allocator, p, node)
}

// New returns an allocator for the problem.
func New(ctx context.Context, impl Implementation, p *problem.Problem) (structured.Allocator, error) {
	return impl.New(ctx, p.Enabled(), p.State(), p.Lister(), p.Slices, p.CELCache())
}

// Allocate allocates the claims of the problem with the allocator.
func Allocate(ctx context.Context, allocator structured.Allocator, p *problem.Problem, node *corev1.Node) Outcome {
	return outcome(allocator.Allocate(ctx, node, p.Claims))
}

func outcome(results []resourceapi.AllocationResult, err error) Outcome {
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return Outcome{Class: TimedOut, Err: err}
	case err != nil:
		for _, class := range errorClasses {
			if strings.Contains(err.Error(), string(class)) {
				return Outcome{Class: class, Err: err}
			}
		}
		return Outcome{Class: Class("error: " + err.Error()), Err: err}
	case results == nil:
		return Outcome{Class: NoFit}
	default:
		return Outcome{Class: Fit, Results: results}
	}
}

// String returns the outcome in one line, with results as request=device.
func (o Outcome) String() string {
	switch {
	case o.Err != nil:
		return fmt.Sprintf("%s (%v)", o.Class, o.Err)
	case o.Class == Fit:
		return fmt.Sprintf("%s %v", o.Class, o.Devices())
	default:
		return string(o.Class)
	}
}

// Devices returns the chosen devices for each claim in order. Each is
// request=driver/pool/device, followed by "admin" or the consumed capacities of
// the share.
func (o Outcome) Devices() [][]string {
	claims := [][]string{}
	for _, result := range o.Results {
		devices := []string{}
		for _, device := range result.Devices.Results {
			text := fmt.Sprintf("%s=%s/%s/%s", device.Request, device.Driver, device.Pool, device.Device)
			if device.AdminAccess != nil {
				text += " admin"
			}
			if device.ConsumedCapacity != nil {
				capacity, err := json.Marshal(device.ConsumedCapacity)
				if err != nil {
					capacity = []byte(err.Error())
				}
				text += " " + string(capacity)
			}
			devices = append(devices, text)
		}
		claims = append(claims, devices)
	}
	return claims
}

// Difference returns an error if the outcomes are different answers. It ignores
// share IDs, which are random.
func Difference(want, got Outcome) error {
	if want.Class != got.Class {
		return fmt.Errorf("want %s, got %s", want, got)
	}
	if want.OnNodeOnly() != got.OnNodeOnly() {
		return fmt.Errorf("is the error about this node only? want %t, got %t: %w", want.OnNodeOnly(), got.OnNodeOnly(), want.Err)
	}
	wantText, gotText := canonical(want.Results), canonical(got.Results)
	if wantText != gotText {
		return fmt.Errorf("want %s,\n got %s\nin full: want %s,\n          got %s", want, got, wantText, gotText)
	}
	return nil
}

// canonical returns the results as they would be stored, without share IDs.
func canonical(results []resourceapi.AllocationResult) string {
	var plain []*resourceapi.AllocationResult
	for i := range results {
		result := results[i].DeepCopy()
		for j := range result.Devices.Results {
			result.Devices.Results[j].ShareID = nil
		}
		plain = append(plain, result)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
