// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator"
)

// request is a line of the input after the first one, which is the configuration of the
// allocator. It contains only what changed.
type request struct {
	// Number counts the requests from 1. The answer repeats it.
	Number int
	// State, if set, replaces the state, without slices. Slices are all of them then.
	State  *State       `json:",omitempty"`
	Slices []knownSlice `json:",omitempty"`
	// Node, if set, is the node to allocate on, or only to examine.
	Node     *corev1.Node `json:",omitempty"`
	OnlyFits bool         `json:",omitempty"`
	// Claims are the claims to allocate, unless they are those of the last request for
	// this state.
	Claims     []*resourceapi.ResourceClaim `json:",omitempty"`
	SameClaims bool                         `json:",omitempty"`
}

// knownSlice is a ResourceSlice with an ID. Those of the last state need no content, and
// remain the same objects for the allocator.
type knownSlice struct {
	ID    int
	Slice *resourceapi.ResourceSlice `json:",omitempty"`
}

// answer is a line of the output for a request.
type answer struct {
	Number  int
	Fits    bool                           `json:",omitempty"`
	Results []resourceapi.AllocationResult `json:",omitempty"`
	NoFit   *NoFit                         `json:",omitempty"`
}

// Serve is the process of [Start]: it answers the requests of an input until the input
// ends.
func Serve(in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var config allocator.Config
	if err := lines.Decode(&config); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	index, err := Bundled(config)
	if err != nil {
		return err
	}
	s := &server{index: index}
	for {
		var r request
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		a, err := s.answer(&r)
		if err == nil {
			err = answers.Encode(a)
		}
		if err != nil {
			return fmt.Errorf("answer request %d: %w", r.Number, err)
		}
	}
}

// server is what is known from the last requests.
type server struct {
	index     Index
	allocator Allocator
	slices    map[int]*resourceapi.ResourceSlice
	claims    []*resourceapi.ResourceClaim
}

func (s *server) answer(r *request) (*answer, error) {
	a := &answer{Number: r.Number}
	if r.State != nil {
		if err := s.update(r); err != nil {
			return nil, err
		}
	}
	if !r.SameClaims {
		s.claims = r.Claims
	}
	var err error
	switch {
	case r.Node == nil:
		return a, nil
	case s.allocator == nil:
		return nil, errors.New("there is no state")
	case r.OnlyFits:
		a.Fits, err = s.allocator.Fits(r.Node, s.claims)
	default:
		a.Results, err = s.allocator.Allocate(r.Node, s.claims)
		a.Fits = a.Results != nil
	}
	if err != nil {
		var ok bool
		if a.NoFit, ok = errors.AsType[*NoFit](err); !ok {
			return nil, err
		}
	}
	return a, nil
}

// update replaces the state.
func (s *server) update(r *request) error {
	all := map[int]*resourceapi.ResourceSlice{}
	for _, known := range r.Slices {
		slice := known.Slice
		if slice == nil {
			slice = s.slices[known.ID]
		}
		if slice == nil {
			return fmt.Errorf("slice %d is not known", known.ID)
		}
		all[known.ID] = slice
		r.State.Slices = append(r.State.Slices, slice)
	}
	var err error
	s.slices = all
	s.allocator, err = s.index.For(*r.State)
	return err
}
