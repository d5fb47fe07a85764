// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator"
)

// process implements [Index] and [Allocator] by another process, which ends with this
// one, because its input ends then.
type process struct {
	cmd    *exec.Cmd
	lines  *json.Encoder
	output *json.Decoder
	// failed is the first failure. Nothing is asked afterwards.
	failed error
	number int
	// ids are the IDs of the slices of the last state.
	ids    map[*resourceapi.ResourceSlice]int
	lastID int
	// claims are those of the last request for this state, if there was one.
	claims []*resourceapi.ResourceClaim
	asked  bool
}

// Start starts a program that calls [Serve], with the environment of this process, and
// returns its index. It is not safe for concurrent use.
func Start(program string, config allocator.Config) (Index, error) {
	cmd := exec.CommandContext(context.Background(), program)
	cmd.Stderr = os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the allocator: %w", err)
	}
	p := &process{cmd: cmd, lines: json.NewEncoder(in), output: json.NewDecoder(out)}
	if err := p.lines.Encode(config); err != nil {
		return nil, p.fail(fmt.Errorf("configure the allocator: %w", err))
	}
	return p, nil
}

// For implements [Index].
func (p *process) For(s State) (Allocator, error) {
	ids := map[*resourceapi.ResourceSlice]int{}
	var known []knownSlice
	for _, slice := range s.Slices {
		id, ok := p.ids[slice]
		if ok {
			known = append(known, knownSlice{ID: id})
		} else {
			p.lastID++
			id = p.lastID
			known = append(known, knownSlice{ID: id, Slice: slice})
		}
		ids[slice] = id
	}
	p.ids, p.asked = ids, false
	if _, err := p.ask(&request{State: &s, Slices: known}); err != nil {
		return nil, err
	}
	return p, nil
}

// Fits implements [Allocator].
func (p *process) Fits(node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error) {
	a, err := p.askAbout(claims, &request{Node: node, OnlyFits: true})
	if err != nil {
		return false, err
	}
	return a.Fits, a.err()
}

// Allocate implements [Allocator].
func (p *process) Allocate(node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	a, err := p.askAbout(claims, &request{Node: node})
	switch {
	case err != nil:
		return nil, err
	case !a.Fits:
		return nil, a.err()
	case len(a.Results) != len(claims):
		return nil, p.fail(fmt.Errorf("the allocator returned %d allocations for %d claims", len(a.Results), len(claims)))
	}
	return append([]resourceapi.AllocationResult{}, a.Results...), nil // Not nil without claims.
}

// askAbout sends a request about claims.
func (p *process) askAbout(claims []*resourceapi.ResourceClaim, r *request) (*answer, error) {
	if r.SameClaims = p.asked && slices.Equal(claims, p.claims); !r.SameClaims {
		r.Claims = claims
	}
	p.asked, p.claims = true, slices.Clone(claims)
	return p.ask(r)
}

// err returns why the claims do not fit, if that is known.
func (a *answer) err() error {
	if a.NoFit == nil {
		return nil
	}
	return a.NoFit
}

// ask sends a request and returns its answer. An error is a failure of the process.
func (p *process) ask(r *request) (*answer, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	p.number++
	r.Number = p.number
	if err := p.lines.Encode(r); err != nil {
		return nil, p.fail(fmt.Errorf("send request %d to the allocator: %w", r.Number, err))
	}
	var a answer
	if err := p.output.Decode(&a); err != nil {
		return nil, p.fail(fmt.Errorf("read the allocator's answer to request %d: %w", r.Number, err))
	}
	if a.Number != r.Number {
		return nil, p.fail(fmt.Errorf("the allocator answered request %d instead of %d", a.Number, r.Number))
	}
	return &a, nil
}

// fail ends the process, and adds to the error how it ended. It told the reason on its
// standard error if it ended by itself.
func (p *process) fail(err error) error {
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
	if !ended {
		_ = p.cmd.Process.Kill() // It fails only if the process has ended.
	}
	if status := p.cmd.Wait(); status != nil && ended {
		err = fmt.Errorf("%w: %w", err, status)
	}
	p.failed = err
	return err
}
