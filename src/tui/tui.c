/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ncursesw for drawing and decoding keys; signals, modes and stderr by hand. ncurses' own handlers of signals are not used: they free and write
 * from inside of whatever was interrupted. SIGWINCH, SIGTSTP and SIGCONT set flags, and are let in while keys are waited for. Signals that end the
 * program are let in always; their handler writes the strings that reset the terminal, which were looked up before, and dies of the signal.
 */
#include "tui/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"

#ifdef HAVE_NCURSES

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns /* names of terminfo as macros */
#undef lines

#define ESCAPE_MS 25
#define MAX_SEQUENCE 64	   /* letters of a sequence behind an Esc */
#define MAX_KEPT (1 << 20) /* bytes of stderr */

/* The terminal exists once, and handlers are given nothing: hence these. */
static struct {
	volatile sig_atomic_t is_open, has_new_size, wants_stop, was_continued;
	struct termios modes; /* as they were before */
	char reset[512];      /* what is written to give it back */
	size_t nr_reset;
	int kept_stderr; /* what fd 2 was; -1: it stays */
	int stderr_file;
	WINDOW *window;
	struct ui_screen screen;
	bool utf8, has_colours;
	sigset_t blocked, before; /* outside and inside of waiting */
	struct sigaction old[NSIG];
	pthread_t owner;
	int notice_fd;
	struct {
		short text, ground;
		bool is_set;
	} own[UI_NR_STYLES]; /* colours that were chosen */
	enum tui_colours use_colours;
} terminal = { .notice_fd = -1 };

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
static const int noted[] = { SIGWINCH, SIGTSTP, SIGCONT };

bool tui_is_usable(struct errbuf *eb)
{
	const char *term = getenv("TERM");
	struct errbuf unsaid = { 0 };
	int status = 0;

	eb = eb ? eb : &unsaid;
	/* Looked up again, it would take the modes of the UI for the shell's. */
	if (terminal.is_open)
		return true;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		errbuf_set(eb, -ENOTTY, "standard %s is no terminal", isatty(STDIN_FILENO) ? "output" : "input");
		return false;
	}
	if (!term || !*term || !strcmp(term, "dumb")) {
		errbuf_set(eb, -ENOTTY, "TERM is '%s': a terminal that can move its cursor is needed", term ? term : "");
		return false;
	}
	if (setupterm(term, STDOUT_FILENO, &status) != OK) {
		if (status == -2)
			errbuf_set(eb, -ENOENT, "libncursesw.so.6 cannot be loaded: install ncurses (Debian: libncursesw6)");
		else
			errbuf_set(eb, -ENOENT,
				   "the terminal '%s' is not known here: set TERM, or install its description (Debian: ncurses-term)",
				   term);
		return false;
	}
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		errbuf_set(eb, -ENOTTY, "the terminal '%s' cannot move its cursor", term);
		return false;
	}
	return true;
}

/* A string of terminfo without its delays: "$<5>". */
static void add_reset(const char *capability)
{
	const char *s = tigetstr(capability);

	if (!s || s == (char *)-1)
		return;
	while (*s && terminal.nr_reset < sizeof(terminal.reset)) {
		const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;

		if (end)
			s = end + 1;
		else
			terminal.reset[terminal.nr_reset++] = *s++;
	}
}

static void note_resets(void)
{
	static const char *const capabilities[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	static const char mouse[] = "\33[?1002l\33[?1000l\33[?1006l";

	terminal.nr_reset = 0;
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		/* Before the screen that was there before is shown again. */
		if (i == 3 && tigetstr("kmous") && tigetstr("kmous") != (char *)-1 &&
		    terminal.nr_reset + sizeof(mouse) < sizeof(terminal.reset)) {
			memcpy(terminal.reset + terminal.nr_reset, mouse, sizeof(mouse) - 1);
			terminal.nr_reset += sizeof(mouse) - 1;
		}
		add_reset(capabilities[i]);
	}
}

static void write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t nr = write(fd, s, len);

		if (nr <= 0 && errno != EINTR)
			return;
		if (nr > 0) {
			s += nr;
			len -= (size_t)nr;
		}
	}
}

/* Also called by handlers: nothing but system calls. */
static void show_kept_stderr(void)
{
	char buf[4096];
	off_t at = 0;
	ssize_t nr;

	if (terminal.kept_stderr < 0)
		return;
	dup2(terminal.kept_stderr, STDERR_FILENO);
	while (at < MAX_KEPT && (nr = pread(terminal.stderr_file, buf, sizeof(buf), at)) > 0) {
		write_all(STDERR_FILENO, buf, (size_t)nr);
		at += nr;
	}
}

static void on_end(int sig)
{
	if (terminal.is_open) {
		terminal.is_open = 0;
		write_all(STDOUT_FILENO, terminal.reset, terminal.nr_reset);
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.modes);
		show_kept_stderr();
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_noted(int sig)
{
	if (sig == SIGWINCH)
		terminal.has_new_size = 1;
	else if (sig == SIGTSTP)
		terminal.wants_stop = 1;
	else
		terminal.was_continued = 1;
	if (terminal.notice_fd >= 0) {
		int err = errno;

		io_notify(terminal.notice_fd);
		errno = err;
	}
}

static void catch_signals(void)
{
	struct sigaction end = { .sa_handler = on_end, .sa_flags = (int)SA_NODEFER },
			 note = { .sa_handler = on_noted, .sa_flags = SA_RESTART };

	sigfillset(&note.sa_mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		sigaction(ending[i], NULL, &terminal.old[ending[i]]);
		if (terminal.old[ending[i]].sa_handler != SIG_IGN)
			sigaction(ending[i], &end, NULL);
	}
	sigemptyset(&terminal.blocked);
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++) {
		sigaction(noted[i], NULL, &terminal.old[noted[i]]);
		/* A shell without jobs has it ignored. */
		if (noted[i] != SIGTSTP || terminal.old[noted[i]].sa_handler != SIG_IGN)
			sigaction(noted[i], &note, NULL);
		sigaddset(&terminal.blocked, noted[i]);
	}
	terminal.owner = pthread_self();
	pthread_sigmask(SIG_BLOCK, &terminal.blocked, &terminal.before);
}

static void release_signals(void)
{
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaction(ending[i], &terminal.old[ending[i]], NULL);
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++)
		sigaction(noted[i], &terminal.old[noted[i]], NULL);
	if (pthread_equal(terminal.owner, pthread_self()))
		pthread_sigmask(SIG_SETMASK, &terminal.before, NULL);
}

/* Messages would be drawn over, and would move what is drawn. */
static void keep_stderr(void)
{
	terminal.kept_stderr = -1;
	if (!isatty(STDERR_FILENO))
		return;
	terminal.stderr_file = memfd_create("assay-stderr", MFD_CLOEXEC);
	if (terminal.stderr_file < 0)
		return;
	terminal.kept_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (terminal.kept_stderr < 0 || dup2(terminal.stderr_file, STDERR_FILENO) < 0) {
		close(terminal.stderr_file);
		terminal.kept_stderr = -1;
	}
}

static void release_stderr(void)
{
	if (terminal.kept_stderr < 0)
		return;
	show_kept_stderr();
	close(terminal.kept_stderr);
	close(terminal.stderr_file);
	terminal.kept_stderr = -1;
}

static void make_colours(void)
{
	static const struct {
		short text, ground;
	} colours[UI_NR_STYLES] = {
		[UI_PLAIN] = { -1, -1 },
		[UI_BAR] = { COLOR_BLACK, COLOR_CYAN },
		[UI_HEADING] = { COLOR_CYAN, -1 },
		[UI_SELECTED] = { COLOR_BLACK, COLOR_WHITE },
		[UI_HOT] = { COLOR_RED, -1 },
		[UI_WARM] = { COLOR_GREEN, -1 },
		[UI_FAINT] = { -1, -1 },
		[UI_WARNING] = { COLOR_YELLOW, -1 },
		[UI_MATCH] = { COLOR_BLACK, COLOR_MAGENTA },
		[UI_FLAME_USER] = { COLOR_BLACK, COLOR_YELLOW },
		[UI_FLAME_USER_ODD] = { COLOR_BLACK, COLOR_GREEN },
		[UI_FLAME_KERNEL] = { COLOR_WHITE, COLOR_RED },
		[UI_FLAME_KERNEL_ODD] = { COLOR_WHITE, COLOR_MAGENTA },
		[UI_FLAME_OTHER] = { COLOR_WHITE, COLOR_BLUE },
	};

	bool wanted = terminal.use_colours == TUI_COLOURS_ALWAYS || (terminal.use_colours == TUI_COLOURS_AUTO && !getenv("NO_COLOR"));

	terminal.has_colours = wanted && has_colors() && start_color() == OK;
	if (!terminal.has_colours)
		return;
	use_default_colors();
	for (int i = 0; i < UI_NR_STYLES; i++) {
		bool is_own = terminal.own[i].is_set;

		init_pair((short)(i + 1), is_own ? terminal.own[i].text : colours[i].text,
			  is_own ? terminal.own[i].ground : colours[i].ground);
	}
}

static attr_t attributes_of(enum ui_style style, short *pair)
{
	static const attr_t attributes[UI_NR_STYLES] = {
		[UI_BAR] = A_REVERSE,
		[UI_HEADING] = A_BOLD,
		[UI_SELECTED] = A_REVERSE | A_BOLD,
		[UI_HOT] = A_BOLD,
		[UI_FAINT] = A_DIM,
		[UI_WARNING] = A_BOLD,
		[UI_MATCH] = A_REVERSE | A_BOLD,
		[UI_FLAME_USER] = A_REVERSE,
		[UI_FLAME_KERNEL] = A_REVERSE,
		[UI_FLAME_OTHER] = A_REVERSE | A_DIM,
	};

	*pair = terminal.has_colours ? (short)(style + 1) : 0;
	/* With colours, reversing would swap them, and faint letters on a ground cannot be read. */
	if (terminal.has_colours && attributes[style] & A_REVERSE)
		return attributes[style] & ~(attr_t)(A_REVERSE | A_DIM);
	return attributes[style];
}

static void get_size(int *rows, int *columns)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : 24;
	*columns = size.ws_col ? size.ws_col : 80;
}

static void take_size(void)
{
	int rows, columns;

	get_size(&rows, &columns);
	resizeterm(rows, columns);
	ui_screen_fini(&terminal.screen);
	ui_screen_init(&terminal.screen, rows, columns, terminal.utf8);
}

int tui_open(struct errbuf *eb)
{
	int rows, columns;

	if (terminal.is_open)
		return 0;
	if (!tui_is_usable(eb))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	terminal.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (tcgetattr(STDIN_FILENO, &terminal.modes))
		return errbuf_set(eb, -errno, "the terminal cannot be read: %s", strerror(errno));
	note_resets();
	catch_signals();
	terminal.is_open = 1;
	terminal.window = initscr();
	cbreak();
	noecho();
	nonl();
	keypad(terminal.window, TRUE);
	nodelay(terminal.window, TRUE);
	set_escdelay(ESCAPE_MS);
	mouseinterval(200);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	make_colours();
	get_size(&rows, &columns);
	ui_screen_init(&terminal.screen, rows, columns, terminal.utf8);
	keep_stderr();
	return 0;
}

void tui_close(void)
{
	if (!terminal.is_open)
		return;
	endwin();
	terminal.is_open = 0;
	release_stderr();
	release_signals();
	ui_screen_fini(&terminal.screen);
}

static void put_cells(const struct ui_screen *s)
{
	werase(terminal.window);
	for (int row = 0; row < s->rows; row++)
		for (int i = 0; i < s->columns; i++) {
			const struct ui_cell *cell = &s->cells[row * s->columns + i];
			wchar_t text[2] = { (wchar_t)cell->character, 0 };
			short pair;
			attr_t attributes = attributes_of(cell->style, &pair);
			cchar_t c;

			if (!cell->character || (cell->character == ' ' && cell->style == UI_PLAIN && !terminal.own[UI_PLAIN].is_set))
				continue;
			setcchar(&c, text, attributes, pair, NULL);
			mvwadd_wch(terminal.window, row, i, &c);
		}
	if (s->cursor_row >= 0) {
		wmove(terminal.window, s->cursor_row, s->cursor_column);
		curs_set(1);
	} else {
		curs_set(0);
	}
	wrefresh(terminal.window);
}

void tui_show(struct ui_app *app)
{
	ui_app_draw(app, &terminal.screen);
	put_cells(&terminal.screen);
}

/* Ctrl-Z, or a signal from elsewhere: the shell gets its terminal, and we stop. */
static void stop(void)
{
	struct sigaction stops = { .sa_handler = SIG_DFL }, note;
	sigset_t tstp;

	terminal.wants_stop = 0;
	endwin();
	sigaction(SIGTSTP, &stops, &note);
	sigemptyset(&tstp);
	sigaddset(&tstp, SIGTSTP);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &tstp, NULL); /* here */
	pthread_sigmask(SIG_BLOCK, &tstp, NULL);
	sigaction(SIGTSTP, &note, NULL);
	terminal.was_continued = 1;
}

/* True: the screen has to be drawn. */
static bool take_notes(void)
{
	bool draws = terminal.has_new_size || terminal.was_continued;

	if (terminal.wants_stop) {
		stop();
		draws = true;
	}
	if (terminal.was_continued) {
		/* The shell, or who stopped us without a word, may have changed modes and contents. */
		terminal.was_continued = 0;
		endwin();
		wrefresh(terminal.window);
		clearok(terminal.window, TRUE);
		terminal.has_new_size = 1;
	}
	if (terminal.has_new_size) {
		terminal.has_new_size = 0;
		take_size();
		clearok(terminal.window, TRUE);
	}
	return draws;
}

static uint32_t mouse_key(struct ui_event *e)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return UI_KEY_NONE;
	e->row = m.y;
	e->column = m.x;
	if (m.bstate & BUTTON1_DOUBLE_CLICKED)
		return UI_MOUSE_DOUBLE;
	if (m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		return UI_MOUSE_CLICK;
	if (m.bstate & BUTTON4_PRESSED)
		return UI_MOUSE_WHEEL_UP;
	if (m.bstate & BUTTON5_PRESSED)
		return UI_MOUSE_WHEEL_DOWN;
	return UI_KEY_NONE;
}

static uint32_t key_of(wint_t c, bool is_code, struct ui_event *e)
{
	static const struct {
		wint_t code;
		uint32_t key;
	} codes[] = {
		{ KEY_UP, UI_KEY_UP },	       { KEY_DOWN, UI_KEY_DOWN },
		{ KEY_LEFT, UI_KEY_LEFT },     { KEY_RIGHT, UI_KEY_RIGHT },
		{ KEY_PPAGE, UI_KEY_PAGE_UP }, { KEY_NPAGE, UI_KEY_PAGE_DOWN },
		{ KEY_HOME, UI_KEY_HOME },     { KEY_END, UI_KEY_END },
		{ KEY_ENTER, UI_KEY_ENTER },   { KEY_BACKSPACE, UI_KEY_BACKSPACE },
		{ KEY_BTAB, UI_KEY_BACK_TAB },
	};

	if (is_code && c == KEY_MOUSE)
		return mouse_key(e);
	for (size_t i = 0; is_code && i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == c)
			return codes[i].key;
	if (is_code)
		return UI_KEY_NONE;
	return c == '\r' ? UI_KEY_ENTER : c == 127 || c == 8 ? UI_KEY_BACKSPACE : c;
}

/* Behind an Esc that ncurses knows no key for: the rest of a sequence that came with it, which would be taken for keys. Cursor keys mean
 * what they mean in either mode of a keypad. */
static uint32_t key_after_escape(void)
{
	static const char letters[] = "ABCDHF";
	static const uint32_t keys[] = { UI_KEY_UP, UI_KEY_DOWN, UI_KEY_RIGHT, UI_KEY_LEFT, UI_KEY_HOME, UI_KEY_END };
	const char *letter;
	wint_t first, c = 0;
	int nr = 0;

	if (wget_wch(terminal.window, &first) != OK)
		return UI_KEY_ESCAPE;
	if (first != '[' && first != 'O') { /* the next key */
		unget_wch((wchar_t)first);
		return UI_KEY_ESCAPE;
	}
	/* Parameters, then one letter. */
	while (nr < MAX_SEQUENCE && wget_wch(terminal.window, &c) == OK && c < 0x40)
		nr++;
	letter = nr || !c || c > 0x7e ? NULL : strchr(letters, (int)c);
	return letter ? keys[letter - letters] : UI_KEY_NONE;
}

static void read_keys(struct ui_app *app)
{
	wint_t c;
	int got;

	while (!app->is_over && (got = wget_wch(terminal.window, &c)) != ERR) {
		struct ui_event e = { 0 };

		e.key = key_of(c, got == KEY_CODE_YES, &e);
		if (e.key == UI_KEY_ESCAPE)
			e.key = key_after_escape();
		ui_app_event(app, &e);
	}
}

int tui_run(struct ui_app *app)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	bool draws = true;

	while (!app->is_over) {
		int nr;

		draws |= take_notes();
		if (draws)
			tui_show(app);
		draws = false;
		nr = ppoll(&fd, 1, NULL, &terminal.before);
		if (nr > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL))
			return -EIO;
		if (nr > 0) {
			read_keys(app);
			draws = true;
		}
	}
	return 0;
}

void tui_set_notice(int notice_fd)
{
	terminal.notice_fd = notice_fd;
}

int tui_take_input(struct ui_app *app)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	bool draws = take_notes();

	if (poll(&fd, 1, 0) <= 0)
		return draws;
	if (fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		return -EIO;
	read_keys(app);
	return 1;
}

void tui_set_colour(enum ui_style style, int text, int ground)
{
	terminal.own[style].text = (short)text;
	terminal.own[style].ground = (short)ground;
	terminal.own[style].is_set = true;
}

void tui_use_colours(enum tui_colours use)
{
	terminal.use_colours = use;
}

#else /* HAVE_NCURSES */

bool tui_is_usable(struct errbuf *eb)
{
	errbuf_set(eb, -ENOTSUP, "this assay was built without ncurses (see 'assay version --build-options')");
	return false;
}

int tui_open(struct errbuf *eb)
{
	tui_is_usable(eb);
	return -ENOTSUP;
}

void tui_close(void)
{
}

int tui_run(struct ui_app *app)
{
	(void)app;
	return -ENOTSUP;
}

void tui_show(struct ui_app *app)
{
	(void)app;
}

void tui_set_notice(int notice_fd)
{
	(void)notice_fd;
}

void tui_set_colour(enum ui_style style, int text, int ground)
{
	(void)style, (void)text, (void)ground;
}

void tui_use_colours(enum tui_colours use)
{
	(void)use;
}

int tui_take_input(struct ui_app *app)
{
	(void)app;
	return -ENOTSUP;
}

#endif

int tui_choose(const char *command, bool is_forced, bool is_text_wanted, struct errbuf *eb)
{
	struct errbuf why = { 0 };

	if (!is_forced)
		return !is_text_wanted && tui_is_usable(NULL);
	if (is_text_wanted)
		return errbuf_set(eb, -EINVAL, "%s: --tui does not go together with an option that asks for text", command);
	if (!tui_is_usable(&why))
		return errbuf_set(eb, -ENOTTY, "%s: --tui: %s; without --tui there is text", command, why.text);
	return 1;
}
