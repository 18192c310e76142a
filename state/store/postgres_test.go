package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// server is a PostgreSQL of our own, in a folder of its own, that listens on a Unix socket there and nowhere else.
type server struct {
	once    sync.Once
	err     error
	dir     string
	process *exec.Cmd
	log     *os.File
	stopped chan struct{} // closed by stop
	made    atomic.Int32
}

// theServer is started by the first test that needs it, and stopped by TestMain.
var theServer server

var errNotInstalled = errors.New("no PostgreSQL server is installed; deploy/setup.sh test installs it")

// database makes an empty database and returns its URL.
func database(t testing.TB) string {
	t.Helper()
	// Tests lose nothing when the machine does.
	return theServer.database(t, "-c", "fsync=off", "-c", "full_page_writes=off")
}

func (s *server) database(t testing.TB, options ...string) string {
	t.Helper()
	s.once.Do(func() { s.err = s.start(options) })
	if errors.Is(s.err, errNotInstalled) {
		t.Skip(s.err)
	}
	must(t, s.err)
	name := fmt.Sprintf("test%d", s.made.Add(1))
	s.exec(t, "postgres", "CREATE DATABASE "+name)
	return s.url("postgres", "", name)
}

func (s *server) url(name, password, database string) string {
	who := url.User(name)
	if password != "" {
		who = url.UserPassword(name, password)
	}
	u := url.URL{Scheme: "postgres", User: who, Path: "/" + database, RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}

// exec runs statements as the superuser.
func (s *server) exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	db := raw(t, s.url("postgres", "", database))
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// raw opens a database without the store.
func raw(t testing.TB, name string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if filepath.IsAbs(name) {
		driver, name = "sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: name}).String()
	}
	db, err := sql.Open(driver, name)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

func (s *server) start(options []string) error {
	initdb, postgres := installed("initdb"), installed("postgres")
	if initdb == "" || postgres == "" {
		return errNotInstalled
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "viva-pg"); err != nil {
		return err
	}
	attributes, err := s.unprivileged()
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	made := exec.Command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	made.SysProcAttr, made.Dir = attributes, s.dir
	if out, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	rules := "local all locked scram-sha-256\nlocal all all trust\n"
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		return err
	}
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	s.process = exec.Command(postgres, append([]string{"-D", data, "-k", s.dir, "-c", "listen_addresses="}, options...)...)
	s.process.SysProcAttr, s.process.Dir, s.process.Stdout, s.process.Stderr = attributes, s.dir, s.log, s.log
	if err := s.launch(); err != nil {
		return err
	}
	return s.await()
}

// launch starts the server on a thread that stays: the system tells a process that its parent has died when the thread that
// started it ends, and Go ends threads as it likes.
func (s *server) launch() error {
	s.stopped = make(chan struct{})
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.process.Start()
		started <- err
		if err == nil {
			<-s.stopped
		}
	}()
	return <-started
}

// unprivileged gives the folder to somebody who is not root: PostgreSQL does not run as root.
func (s *server) unprivileged() (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return attributes, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err1 := strconv.Atoi(who.Uid)
	gid, err2 := strconv.Atoi(who.Gid)
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, errors.Join(err1, err2, os.Chown(s.dir, uid, gid))
}

func (s *server) await() error {
	db, err := sql.Open("pgx", s.url("postgres", "", "postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing was written
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		err := db.PingContext(ctx)
		if err == nil {
			tick.Stop()
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			said, _ := os.ReadFile(s.log.Name())
			return fmt.Errorf("PostgreSQL did not start: %w\n%s", err, said)
		}
	}
}

// stop stops the server, if it was started, and takes its folder away.
func (s *server) stop() error {
	if s.dir == "" {
		return nil
	}
	if s.process != nil && s.process.Process != nil {
		if err := s.process.Process.Signal(syscall.SIGQUIT); err != nil { // at once
			return err
		}
		_ = s.process.Wait() // it says that it was told to quit
		close(s.stopped)
	}
	return errors.Join(s.log.Close(), os.RemoveAll(s.dir))
}

// installed finds a program of PostgreSQL's server, which Debian keeps outside of the path; "" when there is none.
func installed(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is well-formed
	slices.Sort(found)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}
