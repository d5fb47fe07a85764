// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package killable is an API server for unit tests of controllers, in which the process
// of the controller can be killed at any of its writes.
package killable

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Server is an API server without schedulers and other controllers.
type Server struct {
	Client *fake.Clientset

	mu sync.Mutex
	// writes counts those of all processes.
	writes int
	// killAt is the number of the write at which the process is killed. Zero means
	// never. after is set if the write arrives at the API server before.
	killAt int
	after  bool
	// killed is closed when the process is killed. It cannot do anything then. The next
	// process has another channel.
	killed chan struct{}
	dead   bool
}

var errKilled = errors.New("the process was killed")

// New returns a server with objects.
func New(objects ...runtime.Object) *Server {
	s := &Server{Client: fake.NewSimpleClientset(objects...), killed: make(chan struct{})}
	s.Client.PrependReactor("*", "*", s.react)
	return s
}

// KillAt lets a process be killed at one of the next writes: 1 is the next one, and 0
// stands for none. After is set if the write arrives at the server before.
func (s *Server) KillAt(write int, after bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killAt = 0; write > 0 {
		s.killAt = s.writes + write
	}
	s.after = after
}

// Killed is closed when the process that runs now is killed.
func (s *Server) Killed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed
}

// Revive lets the next process send requests, if one was killed.
func (s *Server) Revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		s.dead, s.killed = false, make(chan struct{})
	}
}

// Writes returns the number of writes so far.
func (s *Server) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

func (s *Server) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return true, result(action), errKilled
	}
	verb := action.GetVerb()
	if verb == "get" || verb == "list" || verb == "watch" || action.GetResource().Resource == "events" {
		return false, nil, nil
	}
	s.writes++
	if s.writes != s.killAt {
		return false, nil, nil
	}
	if s.after {
		_, _, _ = clienttesting.ObjectReaction(s.Client.Tracker())(action) //nolint:dogsled // Nobody gets the response.
	}
	s.dead = true
	close(s.killed)
	return true, result(action), errKilled
}

// result returns an object, as real clients do even if a write has failed. That of the
// fake clients of Kubernetes 1.30 would be nil.
func result(action clienttesting.Action) runtime.Object {
	if write, ok := action.(interface{ GetObject() runtime.Object }); ok {
		return write.GetObject()
	}
	return nil
}
