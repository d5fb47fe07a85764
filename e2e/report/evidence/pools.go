// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/picture"
)

// maxPools is the maximum number of pictures for one spec.
const maxPools = 4

// pool identifies a pool of a driver.
type pool struct{ driver, name string }

// poolView is the picture of a pool, or the reason why there is none.
type poolView struct {
	Pool    string
	Picture *picture.Picture
	Missing string
}

// pools draws the pools of the claims of a spec as they were when it failed. It
// uses the slices and claims among the artifacts of the spec and returns
// nothing if they are missing.
func (e Evidence) pools(s report.Spec) ([]poolView, error) {
	objects, err := e.objects(s.ID)
	if err != nil || objects == nil {
		return nil, err
	}
	chosen := choosePools(objects, claimsOf(objects.Claims, e.Report.Run.ID, s))
	var drawn []poolView
	for _, p := range chosen[:min(maxPools, len(chosen))] {
		v := poolView{Pool: p.driver + "/" + p.name, Picture: picture.Draw(p.driver, p.name, objects.Slices, objects.Claims)}
		if v.Picture == nil {
			v.Missing = "No slice offers this pool, but a claim is allocated devices of it."
		}
		drawn = append(drawn, v)
	}
	return drawn, nil
}

// objects reads the slices, claims and classes among the artifacts of a spec. It
// returns nil if the slices or the claims are missing.
func (e Evidence) objects(id string) (*state.Objects, error) {
	if e.Files == nil {
		return nil, nil
	}
	var all []io.Reader
	for _, name := range []string{"slices.yaml", "claims.yaml", "classes.yaml"} {
		content, err := fs.ReadFile(e.Files, path.Join("artifacts", id, name))
		switch {
		case err == nil:
			all = append(all, strings.NewReader("---\n"+string(content)+"\n"))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read the artifacts of spec %s: %w", id, err)
		case name != "classes.yaml": // Which older runs did not write.
			return nil, nil
		}
	}
	objects, err := state.Read([]string{state.Stdin}, io.MultiReader(all...))
	if err != nil {
		return nil, fmt.Errorf("read the artifacts of spec %s: %w", id, err)
	}
	return objects, nil
}

// claimsOf returns the claims of a spec. If its namespace is not known, these
// are all claims of the run.
func claimsOf(all []*resourceapi.ResourceClaim, run string, s report.Spec) []*resourceapi.ResourceClaim {
	return slices.DeleteFunc(slices.Clone(all), func(c *resourceapi.ResourceClaim) bool {
		elsewhere := s.Failure != nil && s.Failure.Namespace != "" && c.Namespace != s.Failure.Namespace
		return c.Labels[engine.RunLabel] != run || elsewhere
	})
}

// choosePools returns the pools that matter for claims: first those whose
// devices they hold, then those whose devices they request and others hold, then
// the free ones of the requested drivers.
func choosePools(objects *state.Objects, claims []*resourceapi.ResourceClaim) []pool {
	rank := map[pool]int{}
	requested := requestedDrivers(objects, claims)
	for _, s := range objects.Slices {
		if requested[s.Spec.Driver] {
			rank[pool{s.Spec.Driver, s.Spec.Pool.Name}] = 3
		}
	}
	for p := range held(objects.Claims) {
		if rank[p] != 0 {
			rank[p] = 2
		}
	}
	for p := range held(claims) {
		rank[p] = 1
	}
	return slices.SortedFunc(maps.Keys(rank), func(a, b pool) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name))
	})
}

// held returns the pools of the devices of claims.
func held(claims []*resourceapi.ResourceClaim) map[pool]bool {
	pools := map[pool]bool{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			pools[pool{result.Driver, result.Pool}] = true
		}
	}
	return pools
}

// requestedDrivers returns the drivers whose names are in the selectors of
// claims without an allocation, or of their classes. A selector without the name
// of a driver requests no certain one.
func requestedDrivers(objects *state.Objects, claims []*resourceapi.ResourceClaim) map[string]bool {
	var expressions []string
	add := func(selectors []resourceapi.DeviceSelector) {
		for _, s := range selectors {
			if s.CEL != nil {
				expressions = append(expressions, s.CEL.Expression)
			}
		}
	}
	request := func(class string, selectors []resourceapi.DeviceSelector) {
		add(selectors)
		for _, c := range objects.Classes {
			if c.Name == class {
				add(c.Spec.Selectors)
			}
		}
	}
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			continue
		}
		for _, r := range claim.Spec.Devices.Requests {
			if r.Exactly != nil {
				request(r.Exactly.DeviceClassName, r.Exactly.Selectors)
			}
			for _, sub := range r.FirstAvailable {
				request(sub.DeviceClassName, sub.Selectors)
			}
		}
	}
	drivers := map[string]bool{}
	for _, s := range objects.Slices {
		drivers[s.Spec.Driver] = drivers[s.Spec.Driver] || slices.ContainsFunc(expressions, func(expression string) bool {
			return strings.Contains(expression, strconv.Quote(s.Spec.Driver)) || strings.Contains(expression, "'"+s.Spec.Driver+"'")
		})
	}
	return drivers
}
