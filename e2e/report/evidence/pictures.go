package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/engine"
)

// Limits of the pictures for one spec.
const (
	maxPools = 4
	maxNodes = 16 // Nodes that are tried for a pool without a node of its own.
)

// pool identifies a pool of a driver.
type pool struct{ driver, name string }

// picture is the picture of a pool, or the reason why there is none.
type picture struct{ Pool, Text, Missing string }

// pictures draws the pools with counters whose devices were held by claims of
// the run when a spec failed. It uses the slices and claims among the artifacts
// of the spec and returns nothing if they are missing.
func (e Evidence) pictures(ctx context.Context, id string) ([]picture, error) {
	objects, err := e.objects(id)
	if err != nil || objects == nil {
		return nil, err
	}
	drawer := newDrawer(objects)
	var drawn []picture
	for _, p := range held(objects.Claims, e.Report.Run.ID) {
		if len(drawn) == maxPools {
			break
		}
		shown, err := drawer.draw(ctx, p)
		switch {
		case err != nil:
			return nil, fmt.Errorf("draw pool %s/%s: %w", p.driver, p.name, err)
		case shown != nil && len(shown.Sets) > 0:
			drawn = append(drawn, picture{Pool: p.driver + "/" + p.name, Text: shown.String()})
		case !drawer.offered(p):
			drawn = append(drawn, picture{Pool: p.driver + "/" + p.name, Missing: "No slice offers this pool, but a claim is allocated devices of it."})
		}
	}
	return drawn, nil
}

// objects reads the slices and claims among the artifacts of a spec. It returns
// nil if either is missing.
func (e Evidence) objects(id string) (*state.Objects, error) {
	if e.Files == nil {
		return nil, nil
	}
	var all []io.Reader
	for _, name := range []string{"slices.yaml", "claims.yaml"} {
		content, err := fs.ReadFile(e.Files, path.Join("artifacts", id, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the artifacts of spec %s: %w", id, err)
		}
		all = append(all, strings.NewReader("---\n"+string(content)+"\n"))
	}
	objects, err := state.Read([]string{state.Stdin}, io.MultiReader(all...))
	if err != nil {
		return nil, fmt.Errorf("read the artifacts of spec %s: %w", id, err)
	}
	return objects, nil
}

// held returns the pools of the devices of a run's claims, sorted.
func held(claims []*resourceapi.ResourceClaim, run string) []pool {
	var pools []pool
	for _, claim := range claims {
		if claim.Labels[engine.RunLabel] != run || claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			pools = append(pools, pool{result.Driver, result.Pool})
		}
	}
	slices.SortFunc(pools, func(a, b pool) int { return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name)) })
	return slices.Compact(pools)
}

// drawer uses the allocator to draw pictures. It lets the allocator explain a
// claim that cannot be allocated, which shows the current allocations.
type drawer struct {
	objects *state.Objects
	index   *allocator.Index
	states  structured.AllocatedState
	holders explain.Holders
}

func newDrawer(objects *state.Objects) *drawer {
	features := structured.Features{
		AdminAccess: true, ConsumableCapacity: true, DeviceBindingAndStatus: true, DeviceTaints: true, PartitionableDevices: true, PrioritizedList: true,
	}
	a := &drawer{objects: objects, index: allocator.NewIndex(allocator.Config{Features: features}), holders: explain.HoldersOf(objects.Claims)}
	a.index.Update(objects.Slices)
	a.states = objects.AllocatedState(features)
	return a
}

// draw returns nil if the pool is not available on any known node.
func (a *drawer) draw(ctx context.Context, p pool) (*explain.Picture, error) {
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "pool"}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "device.driver == " + strconv.Quote(p.driver)}}},
	}}
	classes := (&state.Objects{Classes: []*resourceapi.DeviceClass{class}}).ClassLister()
	nothing := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "nothing"}, Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{{Name: "device", Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: class.Name, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
		}}},
		// No device has this attribute.
		Constraints: []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("draconform.dev/nothing"))}},
	}}}
	for _, node := range a.nodes(p) {
		explanation, err := a.index.Allocator(a.states, classes).Explain(ctx, node, []*resourceapi.ResourceClaim{nothing}, a.holders)
		if err != nil {
			return nil, err
		}
		for i := range explanation.Pictures {
			if explanation.Pictures[i].Driver == p.driver && explanation.Pictures[i].Pool == p.name {
				return &explanation.Pictures[i], nil
			}
		}
	}
	return nil, nil
}

// offered reports whether a slice of a pool exists.
func (a *drawer) offered(p pool) bool {
	return slices.ContainsFunc(a.objects.Slices, p.has)
}

func (p pool) has(slice *resourceapi.ResourceSlice) bool {
	return slice.Spec.Driver == p.driver && slice.Spec.Pool.Name == p.name
}

// nodes returns nodes on which a pool may be available: its own node, or up to
// maxNodes nodes.
func (a *drawer) nodes(p pool) []*corev1.Node {
	for _, slice := range a.objects.Slices {
		if p.has(slice) && slice.Spec.NodeName != nil {
			return []*corev1.Node{state.NamedNode(*slice.Spec.NodeName)}
		}
	}
	all := a.objects.AllNodes()
	return all[:min(len(all), maxNodes)]
}
